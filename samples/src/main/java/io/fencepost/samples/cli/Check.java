package io.fencepost.samples.cli;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.port.DiskException;
import io.fencepost.samples.client.UsageException;
import io.fencepost.samples.report.Json;
import io.fencepost.txn.main.DataDirectory;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks the files of a broker that does not run. */
@Command(
    name = "check",
    description = {
      "Check the directory of a broker or cluster that is stopped or has crashed.",
      "Checksums, offsets, indexes, leader epochs, producer snapshots and aborted transactions",
      "against the logs, coordinators' state against the internal topics, transactions that nobody",
      "will end; in a cluster also the replicas against each other.",
      "Changes nothing."
    },
    footer = {
      "",
      "'wrong' is damage; 'open' is what an unclean stop leaves, and the next start puts right.",
      "",
      "Examples:",
      "  fencepost check data",
      "  fencepost check data -o json",
      "",
      "Exit codes: 0 nothing is wrong, 1 something is, 2 bad usage or a broker has the directory."
    })
final class Check implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "The broker's or the cluster's directory.")
  private Path directory = Path.of("");

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table or json. Default: table")
  private OutputFormat format = OutputFormat.TABLE;

  @Mixin final CommonOptions common = new CommonOptions();

  private int wrong;
  private int open;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<Map<String, Object>> found = new ArrayList<>();
    DataDirectory.Checked checked;
    try {
      checked =
          DataDirectory.check(
              directory,
              finding -> {
                count(finding);
                if (format == OutputFormat.JSON) {
                  found.add(fields(finding));
                } else {
                  out.println((finding.isDamage() ? "wrong  " : "open   ") + finding);
                }
              });
    } catch (DiskException refused) {
      throw new UsageException(String.valueOf(refused.getMessage()), refused);
    }
    if (format == OutputFormat.JSON) {
      out.println(Json.text(report(checked, found)));
    } else {
      out.printf(
          "%,d topics, %,d partitions, %,d batches: %s%n",
          checked.topicCount(), checked.partitionCount(), checked.batchCount(), verdict());
    }
    return wrong == 0 ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }

  private void count(Finding finding) {
    if (finding.isDamage()) {
      wrong++;
    } else {
      open++;
    }
  }

  private String verdict() {
    String left = open == 0 ? "" : ", %,d that the next start puts right".formatted(open);
    return (wrong == 0 ? "nothing is wrong" : "%,d wrong".formatted(wrong)) + left;
  }

  private static Map<String, Object> fields(Finding finding) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("wrong", finding.isDamage());
    fields.put("file", finding.file());
    fields.put("position", finding.position() == Finding.WHOLE ? null : finding.position());
    fields.put("sentence", finding.sentence());
    return fields;
  }

  private Map<String, Object> report(
      DataDirectory.Checked checked, List<Map<String, Object>> found) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("passes", wrong == 0);
    report.put("topics", checked.topicCount());
    report.put("partitions", checked.partitionCount());
    report.put("batches", checked.batchCount());
    report.put("findings", found);
    return report;
  }
}
