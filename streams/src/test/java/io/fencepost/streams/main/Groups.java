package io.fencepost.streams.main;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsResult;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** What the coordinator tells of the group of job j. */
final class Groups {
  private Groups() {}

  /** One member. */
  static Admin admin(String clientId, TopicPartition owned) {
    return admin(Map.of(clientId, Set.of(owned)));
  }

  /** The members' partitions by client id. */
  static Admin admin(Map<String, Set<TopicPartition>> owned) {
    List<MemberDescription> members = new ArrayList<>();
    owned.forEach(
        (clientId, partitions) -> {
          MemberDescription member = mock(MemberDescription.class);
          when(member.clientId()).thenReturn(clientId);
          when(member.assignment()).thenReturn(new MemberAssignment(partitions));
          members.add(member);
        });
    ConsumerGroupDescription group = mock(ConsumerGroupDescription.class);
    when(group.members()).thenReturn(members);
    DescribeConsumerGroupsResult result = mock(DescribeConsumerGroupsResult.class);
    when(result.describedGroups()).thenReturn(Map.of("j", KafkaFuture.completedFuture(group)));
    Admin admin = mock(Admin.class);
    when(admin.describeConsumerGroups(any())).thenReturn(result);
    return admin;
  }
}
