package io.fencepost.testkit.report.disk;

import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.ReportPage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** A report as a file that any browser opens. */
public final class ReportFile {
  private ReportFile() {}

  /**
   * Writes the page; a file that is there is written anew, and directories are made.
   *
   * @throws IOException if it cannot be written
   */
  public static void write(Report report, Path file) throws IOException {
    makeDirectory(file);
    Files.writeString(file, page(report));
  }

  /**
   * Makes the directory of a page, if it is not there.
   *
   * @throws IOException if it cannot be made
   */
  public static void makeDirectory(Path file) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
  }

  /** The page as text. */
  public static String page(Report report) {
    String style = resource("report.css");
    String script = resource("report.js");
    return ReportPage.html(report, new ReportPage.Assets(style, hash(style), script, hash(script)));
  }

  private static String resource(String name) {
    try (InputStream in = ReportFile.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name + " of reports");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("the jar's " + name + " cannot be read", e);
    }
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
