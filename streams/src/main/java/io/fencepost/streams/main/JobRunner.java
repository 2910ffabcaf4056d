package io.fencepost.streams.main;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.client.ChangelogWatch;
import io.fencepost.streams.client.Clients;
import io.fencepost.streams.client.GroupView;
import io.fencepost.streams.client.KafkaChangelogReader;
import io.fencepost.streams.client.KafkaGateway;
import io.fencepost.streams.client.Preflight;
import io.fencepost.streams.client.StaticMembers;
import io.fencepost.streams.rocks.RocksMemory;
import io.fencepost.streams.rocks.TaskStores;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.task.FencingId;
import io.fencepost.streams.task.Gateway;
import io.fencepost.streams.task.JobPlan;
import io.fencepost.streams.task.JobSteps;
import io.fencepost.streams.task.LoopSettings;
import io.fencepost.streams.task.TaskLoop;
import io.fencepost.streams.task.TaskPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a job, its clients, its stores and its threads together. Called by {@link Job#start} only.
 */
public final class JobRunner {
  private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

  private JobRunner() {}

  /** Checks, then starts; see {@link Job#start}. */
  public static JobHandle start(Job job, JobConfig config) {
    return start(job, config, JobSteps.NONE);
  }

  /**
   * As {@link #start(Job, JobConfig)}, for tests.
   *
   * @param steps are passed by the workers
   */
  public static JobHandle start(Job job, JobConfig config, JobSteps steps) {
    String applicationId = config.applicationId(job);
    Clients clients = new Clients(config, applicationId);
    var unused = Beside.start(RocksMemory::load);
    Beside<?> check = Beside.start(clients::check);
    Admin admin = clients.admin();
    InstanceLease lease = null;
    try {
      JobPlan plan = new JobPlan(job, applicationId, config.maxRequestBytes());
      Beside<Preflight.Surroundings> preflight =
          Beside.start(new Preflight(admin, job, plan, config)::run);
      check.get();
      Preflight.Surroundings around = preflight.get();
      Path directory = stateDirectory(config).resolve(around.clusterId()).resolve(applicationId);
      lease = InstanceLease.take(directory, config.instanceId());
      return start(job, clients, admin, lease, new Place(directory, plan, around, steps));
    } catch (RuntimeException | Error e) {
      if (lease != null) {
        lease.close();
      }
      admin.close(Duration.ZERO);
      throw e;
    }
  }

  private record Place(
      Path directory, JobPlan plan, Preflight.Surroundings around, JobSteps steps) {
    int partitions(TaskPlan part) {
      return around.partitions().getOrDefault(part.name(), 0);
    }
  }

  private static Path stateDirectory(JobConfig config) {
    String configured = config.stateDir();
    return configured != null
        ? Path.of(configured)
        : Path.of(System.getProperty("java.io.tmpdir"), "fencepost-state");
  }

  private static JobHandle start(
      Job job, Clients clients, Admin admin, InstanceLease lease, Place place) {
    JobConfig config = clients.config();
    String applicationId = clients.applicationId();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < config.workers(); i++) {
      ids.add(new FencingId(applicationId, lease.id(), i).transactionalId());
    }
    StaticMembers members = clients.members(admin, ids);
    RocksMemory memory = new RocksMemory(config.rocksMemoryBytes());
    RunningJob running =
        new RunningJob(
            job.name(), new RunningJob.Place(applicationId, lease.id(), job.guarantee(config)));
    JobPlan plan = place.plan();
    Map<String, TaskStores.Part> parts = new HashMap<>();
    for (TaskPlan part : plan.parts()) {
      parts.put(part.name(), new TaskStores.Part(part.stores(), place.around().changelogs()));
    }
    TaskStores stores = new TaskStores(place.directory().resolve("tasks"), parts, memory);
    GroupView group = new GroupView(admin, applicationId);
    ChangelogWatch watch =
        new ChangelogWatch(admin, place.around().changelogs().values(), Worker.nowMs());
    Standbys standbys = standbys(clients, admin, lease, place, group, stores, watch);
    Worker.Owner owner = new Worker.Owner(job.name(), running::onWorkerEnd, running.observers());
    List<Worker> workers = new ArrayList<>();
    List<Runnable> starts = new ArrayList<>();
    List<KafkaGateway> gateways = new ArrayList<>();
    EarlyStores early =
        new EarlyStores(stores, standbys, () -> onDisk(plan, stores, members.inherited()));
    early.start();
    try {
      for (String id : ids) {
        Worker worker = new Worker(id, owner);
        KafkaGateway gateway = clients.gateway(id, admin, plan, stores::copies, members);
        gateways.add(gateway);
        KafkaChangelogReader reader =
            new KafkaChangelogReader(admin, watch, () -> clients.restorer(id));
        TaskLoop loop =
            new TaskLoop(
                plan,
                LoopSettings.of(config),
                stepped(gateway, place.steps(), id),
                reader,
                stepped(early, place.steps(), id),
                worker,
                InstantSource.system(),
                worker.lanes());
        workers.add(worker);
        starts.add(() -> worker.start(loop, reader, watch));
      }
    } catch (RuntimeException e) {
      gateways.forEach(gateway -> gateway.close(0, true));
      if (early.close()) {
        memory.close();
      }
      throw e;
    }
    Runnable free =
        () -> {
          boolean isEarlyClosed = early.close();
          if (standbys.close() && isEarlyClosed) {
            memory.close();
          }
          // What leaves the group must be out before a successor joins under the same ids.
          admin.close(Duration.ofSeconds(1));
          lease.close();
        };
    JobStores read =
        new JobStores(
            plan, place.around().partitions(), stores, group, lease.id(), running::restoring);
    running.start(new RunningJob.Crew(workers, read, standbys, free));
    log.info(
        "job {} starts: application {}, instance {}, {} workers, state in {}",
        job.name(),
        applicationId,
        lease.id(),
        workers.size(),
        place.directory());
    starts.forEach(Runnable::run);
    standbys.start();
    return running;
  }

  private static List<TaskId> onDisk(JobPlan plan, TaskStores stores, List<TopicPartition> inputs) {
    return inputs.stream()
        .map(plan::maybeTask)
        .filter(Objects::nonNull)
        .filter(task -> stores.specs(task).stream().anyMatch(StoreSpec::isPersistent))
        .distinct()
        .toList();
  }

  private static Gateway stepped(Gateway gateway, JobSteps steps, String worker) {
    return steps == JobSteps.NONE ? gateway : new SteppedGateway(gateway, steps, worker);
  }

  private static StoreOpener stepped(StoreOpener opener, JobSteps steps, String worker) {
    if (steps == JobSteps.NONE) {
      return opener;
    }
    return task -> {
      StoreTable tables = opener.open(task);
      return tables == null ? null : new SteppedTable(tables, steps, worker);
    };
  }

  private static Standbys standbys(
      Clients clients,
      Admin admin,
      InstanceLease lease,
      Place place,
      GroupView group,
      TaskStores stores,
      ChangelogWatch watch) {
    Map<TaskId, TaskPlan> tasks = new TreeMap<>();
    for (TaskPlan part : place.plan().parts()) {
      int partitions = part.tableCount() == 0 ? 0 : place.partitions(part);
      for (int partition = 0; partition < partitions; partition++) {
        tasks.put(new TaskId(part.name(), partition), part);
      }
    }
    String name = clients.applicationId() + "-" + lease.id();
    KafkaChangelogReader reader =
        new KafkaChangelogReader(admin, watch, () -> clients.restorer(name + "-standby"));
    return new Standbys(
        new Standbys.Cluster(
            name, lease.id(), place.plan(), group, tasks, clients.config().standbys()),
        stores,
        reader);
  }
}
