package io.fencepost.samples.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PaymentRowsTest {
  private static final String HEADER =
      "payment_date,transaction_number,net_amount_gbp,supplier,service_area,expenses_type";

  @Test
  void a_good_row_becomes_a_payment_with_an_exact_amount() {
    Payment payment =
        payment(only(HEADER, "2019-01-02,5101010974,-7033.53,\"A, B Ltd\",Leisure,Staff"));
    assertThat(payment.amount()).isEqualTo("-7033.53");
    assertThat(payment.supplier()).isEqualTo("A, B Ltd");
    assertThat(payment.toRow())
        .isEqualTo("2019-01-02,5101010974,-7033.53,\"A, B Ltd\",Leisure,Staff");
  }

  @Test
  void a_byte_order_mark_and_empty_lines_are_no_part_of_the_data() {
    PaymentRows rows =
        rows("\uFEFF" + HEADER, "", "2019-01-02,1,1.00,A,B,C", "", "2019-01-02,2,1.00,A,B,C", "");
    assertThat(rows.missingColumns()).isEmpty();
    List<Delivery> deliveries = all(rows);
    assertThat(deliveries).extracting(Delivery::line).containsExactly(3L, 5L);
    assertThat(deliveries).allMatch(delivery -> ReadPayment.of(delivery).payment() != null);
  }

  @Test
  void columns_are_found_by_name_in_any_order() {
    Delivery delivery =
        only(
            "note,supplier,net_amount_gbp,transaction_number,payment_date,expenses_type,service_area",
            "n,\"S, T\",5.50,77,2020-02-29,E,V");
    assertThat(delivery.row()).isEqualTo("2020-02-29,77,5.50,\"S, T\",V,E");
    assertThat(ReadPayment.of(delivery).payment()).isNotNull();
  }

  @Test
  void a_row_that_does_not_fit_its_header_is_bad_even_if_it_has_six_columns() {
    Delivery delivery =
        only(
            "payment_date,transaction_number,net_amount_gbp,supplier,service_area,expenses_type,x",
            "2019-01-02,1,1.00,A,B,C");
    assertThat(ReadPayment.of(delivery).problem()).isEqualTo("6 columns instead of 7");
  }

  @Test
  void missing_columns_are_named() {
    assertThat(rows("payment_date,supplier", "x,y").missingColumns())
        .containsExactly("transaction_number", "net_amount_gbp", "service_area", "expenses_type");
    assertThat(rows().missingColumns()).hasSize(6);
  }

  @Test
  void each_kind_of_bad_row_gives_its_reason() {
    assertThat(problem("2019-02-30,1,1.00,A,B,C"))
        .isEqualTo("payment_date '2019-02-30' is no date like 2021-10-01");
    assertThat(problem("2019-02-03,,1.00,A,B,C")).isEqualTo("transaction_number is empty");
    assertThat(problem("2019-02-03,1,1.00,A,B")).isEqualTo("5 columns instead of 6");
    assertThat(problem("2019-02-03,1,1.00,A\"x,B,C")).startsWith("bad quoting: a quote inside");
    assertThat(problem("2019-02-03,1,1.00,\uFFFD,B,C")).isEqualTo("bytes that are not UTF-8");
    for (String amount :
        List.of("n/a", "", "1.234", "1e3", "1,", ".5", "5.", "--1", "+1", "1.-1", "٣")) {
      assertThat(ReadPayment.of(new Delivery("f", 1, 0, 6, rowWithAmount(amount))).problem())
          .as(amount)
          .isNotNull();
    }
    for (String amount : List.of("1", "-1", "0.00", "1.5", "-0.01", "999999999999999999.99")) {
      assertThat(ReadPayment.of(new Delivery("f", 1, 0, 6, rowWithAmount(amount))).problem())
          .as(amount)
          .isNull();
    }
  }

  @Test
  void a_quoted_field_may_span_lines() {
    PaymentRows rows = rows(HEADER, "2019-01-02,1,1.00,\"A", "B\",C,D", "2019-01-02,2,1.00,A,B,C");
    List<Delivery> deliveries = all(rows);
    assertThat(deliveries).extracting(Delivery::line).containsExactly(2L, 4L);
    assertThat(payment(deliveries.get(0)).supplier()).isEqualTo("A\nB");
  }

  @Test
  void an_open_quote_costs_its_own_line_only() {
    List<String> lines = new ArrayList<>(List.of(HEADER, "2019-01-02,0,1.00,\"A,B,C"));
    for (int i = 1; i <= 40; i++) {
      lines.add("2019-01-02," + i + ",1.00,A,B,C");
    }
    List<Delivery> deliveries = all(rows(lines.toArray(String[]::new)));
    assertThat(deliveries).hasSize(41);
    assertThat(ReadPayment.of(deliveries.get(0)).problem()).contains("never closed");
    assertThat(deliveries.stream().skip(1)).allMatch(d -> ReadPayment.of(d).payment() != null);
  }

  @Test
  void two_rows_with_open_quotes_do_not_swallow_what_is_between_them() {
    List<Delivery> deliveries =
        all(
            rows(
                HEADER,
                "2019-01-02,1,1.00,\"A,B,C",
                "2019-01-02,2,1.00,A,B,C",
                "2019-01-02,3,1.00,\"A,B,C"));
    assertThat(deliveries).hasSize(3);
    assertThat(deliveries)
        .extracting(delivery -> ReadPayment.of(delivery).payment() != null)
        .containsExactly(false, true, false);
  }

  private static Payment payment(Delivery delivery) {
    return Objects.requireNonNull(ReadPayment.of(delivery).payment());
  }

  private static String rowWithAmount(String amount) {
    return CsvRow.join(List.of("2019-02-03", "1", amount, "A", "B", "C"));
  }

  private static String problem(String row) {
    return String.valueOf(ReadPayment.of(only(HEADER, row)).problem());
  }

  private static Delivery only(String header, String row) {
    List<Delivery> deliveries = all(rows(header, row));
    assertThat(deliveries).hasSize(1);
    return deliveries.get(0);
  }

  private static PaymentRows rows(String... lines) {
    return new PaymentRows("f.csv", List.of(lines).iterator());
  }

  private static List<Delivery> all(PaymentRows rows) {
    List<Delivery> deliveries = new ArrayList<>();
    rows.forEachRemaining(deliveries::add);
    return deliveries;
  }
}
