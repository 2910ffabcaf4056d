package io.fencepost.broker.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DirectoryIdentityTest {
  private static final String PATH = "meta.properties";
  private final SimEntropy entropy = new SimEntropy(7);

  @Test
  void damage_at_any_byte_is_refused_with_the_value_that_is_wrong_or_gives_another_valid_id() {
    SimDisk intact = new SimDisk(entropy.named("intact"));
    DirectoryIdentity mine = DirectoryIdentity.claim(intact, entropy, 3);
    assertThat(DirectoryIdentity.claim(intact, entropy, 3)).isEqualTo(mine);
    byte[] content = intact.read(PATH);
    int refused = 0;
    for (int at = 0; at < content.length; at++) {
      for (int size : new int[] {content.length, at}) {
        SimDisk disk = new SimDisk(entropy.named("damaged " + at));
        disk.replace(PATH, Arrays.copyOf(content, size));
        if (size > at) {
          disk.corrupt(PATH, at);
        }
        try {
          DirectoryIdentity found = DirectoryIdentity.claim(disk, entropy, 3);
          assertThat(found.clusterId()).as("byte %d", at).hasSize(22);
          assertThat(found.brokerId()).isEqualTo(3);
        } catch (DiskException told) {
          assertThat(told).hasMessageContaining("meta.properties");
          refused++;
        }
      }
    }
    assertThat(refused).isGreaterThan(content.length);
  }

  @Test
  void an_empty_cluster_id_is_no_id() {
    SimDisk disk = new SimDisk(entropy);
    String text = "format=fencepost\nversion=1\ncluster.id=\nnode.id=3\n";
    disk.replace(PATH, text.getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> DirectoryIdentity.claim(disk, entropy, 3))
        .hasMessageContaining("cluster.id=");
  }

  @Test
  void a_directory_of_another_cluster_is_refused() {
    SimDisk controllerDisk = new SimDisk(entropy.named("controller"));
    String cluster = Membership.clusterId(controllerDisk, entropy);
    assertThat(Membership.clusterId(controllerDisk, entropy)).isEqualTo(cluster).hasSize(22);
    SimDisk disk = new SimDisk(entropy.named("broker"));
    for (int start = 0; start < 2; start++) {
      assertThat(DirectoryIdentity.claim(disk, 3, cluster))
          .isEqualTo(new DirectoryIdentity(cluster, 3));
    }
    String other = Membership.clusterId(new SimDisk(entropy.named("other")), entropy);
    assertThatThrownBy(() -> DirectoryIdentity.claim(disk, 3, other))
        .isInstanceOf(DiskException.class)
        .hasMessageContaining("cluster.id=" + cluster)
        .hasMessageContaining("wanted is " + other);
    assertThatThrownBy(() -> DirectoryIdentity.claim(disk, 2, cluster))
        .hasMessageContaining("node.id=3");
  }
}
