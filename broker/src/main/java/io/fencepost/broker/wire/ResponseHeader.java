package io.fencepost.broker.wire;

/** What stands before every response; version 1 has tagged fields, of which none exists yet. */
public record ResponseHeader(int correlationId) {

  /** Reads the header of that version, see {@link ApiKey#responseHeaderVersion}. */
  public static ResponseHeader read(WireReader in, int headerVersion) {
    ResponseHeader header = new ResponseHeader(in.readInt32("ResponseHeader.correlationId"));
    if (headerVersion >= 1) {
      in.skipTags();
    }
    return header;
  }

  /** Writes the header in that version, see {@link ApiKey#responseHeaderVersion}. */
  public void write(WireWriter out, int headerVersion) {
    out.writeInt32(correlationId);
    if (headerVersion >= 1) {
      out.writeNoTags();
    }
  }
}
