package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A group of the classic protocol, its members, and an onlooker who sees its state. */
final class Crew implements AutoCloseable {
  /** A timeout that tests wait for, and long enough for a busy machine to do something in it. */
  static final int SHORT_MS = 1_000;

  final String group = Talk.fresh("crew");
  final Talk.Topic topic;
  final Talk onlooker;
  private final Supplier<Talk> connections;
  private final List<ClassicMember> members = new ArrayList<>();
  private final ExecutorService voices = Executors.newCachedThreadPool();

  Crew(Supplier<Talk> connections) {
    this.connections = connections;
    this.onlooker = connections.get();
    this.topic = onlooker.newTopic(1);
  }

  ClassicMember member() {
    return named(null);
  }

  ClassicMember named(@Nullable String instanceId) {
    ClassicMember member = new ClassicMember(this, connections.get(), voices, instanceId);
    members.add(member);
    return member;
  }

  /** State and number of members. */
  String state() {
    String[] words = new GroupTalk(onlooker).describe(5, group).split(" ");
    return words[1] + " " + words[words.length - 1];
  }

  void await(String state) {
    assertThat(TxnTalk.until(this::state, state::equals)).isEqualTo(state);
  }

  /** All of them join; answers what each was told. The first one leads if nobody did before. */
  List<GroupTalk.Joined> gather(ClassicMember... joining) {
    List<ClassicMember.Wait<GroupTalk.Joined>> waits = new ArrayList<>();
    GroupTalk.Joined first = joining[0].join();
    assertThat(first.error()).isEqualTo("NONE");
    for (int i = 1; i < joining.length; i++) {
      waits.add(joining[i].joining());
      await("PreparingRebalance " + (i + 1));
    }
    List<GroupTalk.Joined> told = new ArrayList<>();
    told.add(joining.length == 1 ? first : joining[0].join());
    waits.forEach(wait -> told.add(wait.get()));
    return told;
  }

  /** A stable generation of them, led by the first one. */
  void form(ClassicMember... crew) {
    gather(crew);
    assertThat(crew[0].sync(crew)).isEqualTo("share [1]");
    for (int i = 1; i < crew.length; i++) {
      assertThat(crew[i].sync()).isEqualTo("share [" + (i + 1) + "]");
    }
    assertThat(state()).isEqualTo("Stable " + crew.length);
  }

  @Override
  public void close() {
    members.forEach(ClassicMember::close);
    onlooker.close();
    voices.shutdown();
  }
}
