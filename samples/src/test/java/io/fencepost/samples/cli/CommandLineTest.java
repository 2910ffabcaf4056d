package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a user sees before anything runs: help, mistakes, exit codes. */
class CommandLineTest {
  /** {@code -Dfencepost.rewrite=true} writes the texts anew; review them as a diff. */
  @ParameterizedTest
  @CsvSource({
    "'', fencepost",
    "payments, payments",
    "job, job",
    "serve, serve",
    "bench, bench",
    "campaign, campaign",
    "verify, verify",
    "prove, prove",
    "proxy, proxy",
    "faults, faults",
    "lab, lab",
    "lab forced-retry, lab-forced-retry",
    "lab exact-retry, lab-exact-retry",
    "lab zombie, lab-zombie",
    "lab delivery-order, lab-delivery-order",
    "lab transaction, lab-transaction",
    "lab hanging, lab-hanging",
    "lab leader-failure, lab-leader-failure",
    "lab coordinator-failover, lab-coordinator-failover",
    "topic, topic",
    "topic list, topic-list",
    "topic describe, topic-describe",
    "topic create, topic-create",
    "topic alter, topic-alter",
    "topic delete, topic-delete",
    "group, group",
    "group list, group-list",
    "group describe, group-describe",
    "group reset, group-reset",
    "group delete, group-delete",
    "txn, txn",
    "txn blockers, txn-blockers",
    "txn list, txn-list",
    "txn describe, txn-describe",
    "txn hanging, txn-hanging",
    "txn fence, txn-fence",
    "txn abort, txn-abort",
    "dump, dump",
    "check, check",
    "completion, completion",
  })
  void help_is_as_written_down(String command, String file) {
    Ran ran = Ran.of((command + " --help").strip().split(" "));
    assertThat(ran.code()).isZero();
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).contains("Example");
    Path golden = Path.of("src/test/resources/help").resolve(file + ".txt");
    try {
      if (Boolean.getBoolean("fencepost.rewrite")) {
        Files.createDirectories(golden.getParent());
        Files.writeString(golden, ran.out());
      }
      assertThat(ran.out()).isEqualToNormalizingNewlines(Files.readString(golden));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''                              ; fencepost: a command is needed",
        "lab                             ; fencepost lab: a lab is needed",
        "txn                             ; fencepost txn: a command is needed",
        "txn list                        ; fencepost txn list: Missing required option:"
            + " '--bootstrap=HOST:PORT'",
        "txn list --bootstrap nowhere    ; fencepost txn list: --bootstrap nowhere: Invalid url in"
            + " bootstrap.servers: nowhere",
        "txn list --bootstrap a:1 --state Gone ; fencepost txn list: --state Gone: no such state",
        "topic alter t --bootstrap a:1   ; fencepost topic alter: nothing to change: give"
            + " --partitions, --set or --unset",
        "dump --from 2 --to 1 data       ; fencepost dump: --from is at least 0, and --to is not"
            + " below it",
        "dump no-such-file               ; fencepost dump: there is no file or directory"
            + " no-such-file",
        "serve --port 65536              ; fencepost serve: --port 65536: a port is from 0 to"
            + " 65535",
        "serve --set flush               ; fencepost serve: Value for option '--set' (KEY=VALUE)"
            + " should be in KEY=VALUE format but was flush",
        "payments --workers 0            ; fencepost payments: --workers is from 1 to 64",
        "payments --redeliver 1          ; fencepost payments: --redeliver is from 0 to below 1",
        "payments --rows 0               ; fencepost payments: --rows is at least 1",
        "payments --key supplier         ; fencepost payments: --key supplier: it is one of"
            + " transaction_number | row | date,amount,supplier",
        "payments --run a/b --rows 1     ; fencepost payments: --run is up to 60 letters, digits,"
            + " dots, lines or underscores",
        "payments --input no.csv         ; fencepost payments: --input no.csv: there is no such"
            + " file that can be read",
        "payments --bootstrap nowhere    ; fencepost payments: --bootstrap nowhere: Invalid url in"
            + " bootstrap.servers: nowhere",
        "verify                          ; fencepost verify: a history is needed, or --list",
        "verify no-such-file             ; fencepost verify: there is no file no-such-file",
        "verify --list --check V99       ; fencepost verify: --check V99: no such invariant, there"
            + " are C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, E1, L1, L2, L3, L4, L5, L6,"
            + " L7, L8, P1, P2, P3, P4, P5, V1, V2, V3, V4, V5, V6, V7, V8",
        "campaign --minutes 0            ; fencepost campaign: --minutes is above 0 and at most"
            + " 10000",
        "campaign --records 0            ; fencepost campaign: --records is from 1 to 100000000",
        "prove money                     ; fencepost prove: SUBJECT is payments, or give --job",
        "prove --job a.B                 ; fencepost prove: --job needs --input, and the other way"
            + " round",
        "prove --plan EndTxn#0:answer-lost ; fencepost prove: --plan: calls are counted from 1,"
            + " there is no 0 (in 'EndTxn#0:answer-lost')",
        "prove --report /dev/null/x.html ; fencepost prove: the report /dev/null/x.html cannot be"
            + " written: java.nio.file.FileAlreadyExistsException: /dev/null",
        "campaign --report /dev/null/x.html"
            + " ; fencepost campaign: the report /dev/null/x.html cannot be written:"
            + " java.nio.file.FileAlreadyExistsException: /dev/null",
        "prove --lanes 0                 ; fencepost prove: --lanes is from 1 to 64",
        "proxy                           ; fencepost proxy: Missing required option:"
            + " '--upstream=HOST:PORT'",
        "proxy --upstream here           ; fencepost proxy: --upstream: 'here' is no address like"
            + " HOST:PORT",
        "proxy --upstream a:1 --port -1  ; fencepost proxy: --port -1: a port is from 0 to 65535",
        "proxy --upstream a:1 --plan after-send:failed ; fencepost proxy: --plan: a proxy sees"
            + " requests and has no jobs, brokers or disks, so it can't do 'after-send#1:failed'",
        "lab forced-retry --drop-rate 1  ; fencepost lab forced-retry: --drop-rate is from 0 to"
            + " below 1",
        "lab leader-failure --acks 0     ; fencepost lab leader-failure: --acks 0: it is 1 or all",
        "lab leader-failure --min-isr 3  ; fencepost lab leader-failure: --min-isr 3: it is 1 or 2,"
            + " as two of three brokers are left",
        "bench --passes 0                ; fencepost bench: --passes is from 1 to 1000, not 0",
        "bench --only cluster-start --passes 0 ; fencepost bench: --passes is from 1 to 1000, not"
            + " 0",
        "lab forced-retry --messages 0   ; fencepost lab forced-retry: --messages is from 1 to"
            + " 1000000",
      })
  void a_users_mistake_is_one_clear_line_and_exit_code_2(String command, String message) {
    Ran ran = Ran.of(command.isEmpty() ? new String[0] : command.split(" "));
    assertThat(ran.err().lines().findFirst()).hasValue(message);
    assertThat(ran.err()).doesNotContain("\tat ");
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "paymets, payments",
    "lab zombi, zombie",
    "payments --redelivr 0.1, --redeliver",
    "serve --prot 1, --port",
    "lab forced-retry --idempotant=true, --idempotent",
  })
  void a_misspelt_word_gets_the_nearest_right_one(String command, String meant) {
    Ran ran = Ran.of(command.split(" "));
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("unknown ").contains("did you mean " + meant + "?");
  }

  @Test
  void a_file_without_a_column_is_a_usage_error_that_names_it(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("p.csv");
    Files.writeString(file, "payment_date,transaction_number,supplier,service_area\n");
    Ran ran = Ran.of("payments", "--input", file.toString());
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err())
        .contains("p.csv: no column net_amount_gbp, expenses_type")
        .doesNotContain("\tat ");
  }

  @Test
  void a_file_in_place_of_the_directory_is_a_usage_error_that_says_so(@TempDir Path directory)
      throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Ran ran = Ran.of("serve", "--dir", file.toString());
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err())
        .isEqualToIgnoringNewLines(
            "fencepost serve: "
                + file
                + " is a file, the broker needs a directory: choose another");
  }

  @Test
  void arguments_may_be_read_from_a_file(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("arguments");
    Files.writeString(file, "lab zombie --help");
    assertThat(Ran.of("@" + file)).isEqualTo(Ran.of("lab", "zombie", "--help"));
  }

  @Test
  void verbose_shows_where_a_mistake_came_from() {
    try {
      Ran ran = Ran.of("payments", "--verbose", "--bootstrap", "nowhere");
      assertThat(ran.code()).isEqualTo(2);
      assertThat(ran.err()).contains("\tat ");
    } finally {
      System.clearProperty("fencepost.verbose");
    }
  }

  @Test
  void a_plan_that_cant_be_read_is_a_usage_error_with_the_nearest_right_word() {
    Ran ran = Ran.of("proxy", "--upstream", "a:1", "--plan", "EndTx#3:answer-lost");
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err().lines().findFirst())
        .hasValue(
            "fencepost proxy: --plan: there is no point 'EndTx'; did you mean EndTxn? (in"
                + " 'EndTx#3:answer-lost')");
  }

  @Test
  void the_catalogue_of_faults_names_points_and_actions() {
    assertThat(Ran.of("faults").out().lines().map(line -> line.replaceAll(" {2,}", "  ")))
        .contains(
            "EndTxn  requests  a producer commits or aborts its transaction  request-lost,"
                + " answer-lost, delayed, duplicated, answered",
            "after-stage  steps of a job  the offsets are staged, the transaction is open  delayed,"
                + " failed",
            "kill job  kill -9 of a job instance");
    assertThat(Ran.of("faults", "-o", "json").out()).contains("\"point\"", "before-marker");
  }

  @Test
  void the_completion_script_knows_every_command() {
    Ran ran = Ran.of("completion");
    assertThat(ran.code()).isZero();
    assertThat(ran.out())
        .contains(
            "payments", "forced-retry", "leader-failure", "--redeliver", "blockers", "complete -F");
  }
}
