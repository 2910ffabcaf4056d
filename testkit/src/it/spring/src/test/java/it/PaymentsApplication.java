package it;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

@SpringBootApplication
public class PaymentsApplication {
  @Bean
  Charger charger(KafkaTemplate<String, String> template) {
    return new Charger(template);
  }

  public static class Charger {
    private final KafkaTemplate<String, String> template;

    Charger(KafkaTemplate<String, String> template) {
      this.template = template;
    }

    @KafkaListener(topics = "payments", groupId = "charger")
    public void charge(String payment) {
      template.send("charges", "charged " + payment);
    }
  }
}
