package io.fencepost.testkit.sink;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import javax.sql.DataSource;

/** A database server that a test may stop and start again, with its files kept. */
interface TestDatabase {
  /** For this JVM and for child processes. */
  String url();

  void start() throws Exception;

  /** Without a farewell to those that are connected. */
  void stop() throws Exception;

  /** Stops it for good and deletes its files. */
  void delete() throws Exception;

  default Connection connect() throws Exception {
    return DriverManager.getConnection(url());
  }

  default DataSource source() {
    return source(url());
  }

  /** A new connection for each call; a user would have a pool. */
  static DataSource source(String url) {
    return (DataSource)
        Proxy.newProxyInstance(
            TestDatabase.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getConnection" -> DriverManager.getConnection(url);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
