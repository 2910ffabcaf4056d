package io.fencepost.streams.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The connection as the user's code sees it: without what ends the transaction. */
final class GuardedConnection implements InvocationHandler {
  private final Connection connection;

  private GuardedConnection(Connection connection) {
    this.connection = connection;
  }

  static Connection of(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            GuardedConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new GuardedConnection(connection));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    boolean endsTransaction =
        switch (method.getName()) {
          case "commit", "close", "abort", "setAutoCommit" -> true;
          case "rollback" -> arguments == null;
          default -> false;
        };
    if (endsTransaction) {
      throw new SQLException(
          method.getName()
              + " is the sink's: it commits the rows together with their offset, or rolls back",
          "0A000");
    }
    try {
      return method.invoke(connection, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
