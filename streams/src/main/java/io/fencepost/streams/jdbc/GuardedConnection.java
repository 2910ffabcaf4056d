package io.fencepost.streams.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connection as the user's code sees it: without what ends the transaction. Whatever comes from
 * it and leads back to it (statements, results, metadata, what it unwraps to) is guarded as well,
 * and so is SQL that ends it. What a database commits by itself, as some do before they change a
 * table's definition, is not seen.
 */
final class GuardedConnection implements InvocationHandler {
  /** The most special first. */
  private static final List<Class<?>> GUARDED =
      List.of(
          Connection.class,
          CallableStatement.class,
          PreparedStatement.class,
          Statement.class,
          ResultSet.class,
          DatabaseMetaData.class);

  private final Object inner;
  private final @Nullable Object connection;

  /**
   * Guards an object.
   *
   * @param connection the guarded connection that it came from; null if it is a connection itself
   */
  private GuardedConnection(Object inner, @Nullable Object connection) {
    this.inner = inner;
    this.connection = connection;
  }

  static Connection of(Connection connection) {
    return (Connection)
        proxy(
            GuardedConnection.class.getClassLoader(),
            new GuardedConnection(connection, null),
            Connection.class);
  }

  private static Object proxy(ClassLoader loader, GuardedConnection guard, Class<?>... types) {
    return Proxy.newProxyInstance(loader, types, guard);
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    String name = method.getName();
    boolean isOfObject = method.getDeclaringClass() == Object.class;
    if (isOfObject && name.equals("equals") && arguments != null) {
      return proxy == arguments[0];
    }
    if (inner instanceof Connection && endsTransaction(name, arguments)) {
      throw refused(name);
    }
    String end = arguments == null ? null : endOfTransaction(name, arguments[0]);
    if (end != null) {
      throw refused(end);
    }
    Object home = connection == null ? proxy : connection;
    Object result = call(method, arguments);
    Class<?> asked =
        name.equals("unwrap") && arguments != null
            ? (Class<?>) arguments[0]
            : method.getReturnType();
    if (result instanceof Connection && asked.isInstance(home)) {
      return home;
    }
    return isOfObject ? result : guarded(result, asked, home);
  }

  private static SQLException refused(String what) {
    return new SQLException(
        what + " is the sink's: it commits the rows together with their offset, or rolls back",
        "0A000");
  }

  /** What SQL that is to be run or prepared says of the transaction's end. */
  private static @Nullable String endOfTransaction(String method, Object argument) {
    boolean runs =
        method.startsWith("execute") || method.startsWith("prepare") || method.equals("addBatch");
    return runs && argument instanceof String sql ? SqlText.endOfTransaction(sql) : null;
  }

  private static boolean endsTransaction(String method, Object @Nullable [] arguments) {
    return switch (method) {
      case "commit", "close", "abort", "setAutoCommit" -> true;
      case "rollback" -> arguments == null;
      default -> false;
    };
  }

  private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(inner, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static @Nullable Object guarded(@Nullable Object result, Class<?> asked, Object home)
      throws SQLException {
    for (Class<?> type : GUARDED) {
      if (type.isInstance(result)) {
        GuardedConnection guard = new GuardedConnection(result, home(type, home));
        if (asked.isAssignableFrom(type)) {
          return proxy(GuardedConnection.class.getClassLoader(), guard, type);
        }
        if (!asked.isInterface()) {
          throw new SQLException(
              asked.getName()
                  + " could end the transaction, which is the sink's; unwrap to an interface",
              "0A000");
        }
        return proxy(asked.getClassLoader(), guard, asked, type);
      }
    }
    return result;
  }

  private static @Nullable Object home(Class<?> type, Object home) {
    return type == Connection.class ? null : home;
  }
}
