"""confluent.py HOST:PORT RUN: the steps of run-all.sh with python3-confluent-kafka (librdkafka)."""

import sys
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

bootstrap, run = sys.argv[1], sys.argv[2]
topic = "confluent-" + run
failed = False
visible_count = 10
protocols = {"classic": {"heartbeat.interval.ms": 300}, "consumer": {"group.protocol": "consumer"}}


def step(name, expected, actual):
    global failed
    if expected == actual:
        print(f"ok       confluent   {name}", flush=True)
    else:
        failed = True
        print(f"FAILED   confluent   {name}: expected {expected}, got {actual}", flush=True)


def attempt(name, action, expected=None):
    try:
        step(name, expected, action())
    except Exception as error:  # every error is a failed step
        step(name, expected, repr(error))


def consumer(group, **more):
    config = {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
        "enable.partition.eof": False,
    }
    config.update(more)
    return Consumer(config)


def read(source, count, seconds=30):
    """Values until there are as many as asked for, and a bit longer."""
    values, deadline = [], time.time() + seconds
    while time.time() < deadline:
        message = source.poll(0.2)
        if message is not None and message.error() is None:
            values.append(message.value().decode())
        if len(values) >= count:
            deadline = min(deadline, time.time() + 0.5)
    return sorted(values)


def create():
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(topic, 2, 1)])[topic].result(30)


def produce():
    producer = Producer(
        {"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 5}
    )
    errors = []
    for i in range(10):
        producer.produce(topic, f"v{i}", key=str(i), callback=lambda e, m: e and errors.append(e))
    return errors, producer.flush(30)


def consume_and_commit():
    source = consumer("g-" + topic)
    source.subscribe([topic])
    values = read(source, 10)
    source.commit(asynchronous=False)
    source.close()
    return values


def committed():
    source = consumer("g-" + topic)
    offsets = source.committed([TopicPartition(topic, 0), TopicPartition(topic, 1)], 30)
    source.close()
    return sum(o.offset for o in offsets)


def share(members, expected):
    """Polls until the members hold that many partitions; answers what they hold and what they read."""
    values, held, deadline = [], [], time.time() + 30
    while held != expected and time.time() < deadline:
        for member in members:
            message = member.poll(0.05)
            if message is not None and message.error() is None:
                values.append(message.value().decode())
        held = [len(member.assignment()) for member in members]
    return held, values


def produce_to_both(values):
    producer = Producer({"bootstrap.servers": bootstrap})
    for partition, value in enumerate(values):
        producer.produce(topic, value, partition=partition)
    producer.flush(30)


def two_members(protocol):
    """One member, two, one again: each record is read once, as each leaver commits."""
    group = f"{protocol}-{topic}"
    source = [consumer(group, **protocols[protocol]) for _ in range(2)]
    source[0].subscribe([topic])
    shares, values = share(source[:1], [2])
    values += read(source[0], visible_count - len(values))
    source[0].commit(asynchronous=False)
    source[1].subscribe([topic])
    shares += share(source, [1, 1])[0]
    produce_to_both(["first", "second"])
    seen = []
    for member in source:
        seen += read(member, 1)
        member.commit(asynchronous=False)
    source[0].close()
    shares += share(source[1:], [2])[0]
    produce_to_both(["third", "fourth"])
    seen += read(source[1], 2)
    source[1].close()
    return shares, len(values), sorted(seen)


def supported(protocol):
    try:
        consumer("probe", **protocols[protocol]).close()
        return True
    except KafkaException:
        print(f"skipped  confluent   two members share: no group.protocol={protocol} here", flush=True)
        return False


def transaction(commit):
    """Reads from the group, writes, stages the offset, ends; answers the group's offsets after."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": "t-" + topic})
    producer.init_transactions(30)
    source = consumer("x-" + topic)
    source.subscribe([topic])
    read(source, visible_count)
    producer.begin_transaction()
    producer.produce(topic + "-out", "committed" if commit else "aborted")
    positions = source.position(source.assignment())
    producer.send_offsets_to_transaction(
        [p for p in positions if p.offset >= 0], source.consumer_group_metadata(), 30
    )
    if commit:
        producer.commit_transaction(30)
    else:
        producer.abort_transaction(30)
    offsets = source.committed(source.assignment(), 30)
    source.close()
    return sum(max(0, o.offset) for o in offsets)


def fenced():
    """The successor takes the id over while a transaction is open; the first one learns it."""
    first, successor = (
        Producer({"bootstrap.servers": bootstrap, "transactional.id": "f-" + topic}) for _ in range(2)
    )
    first.init_transactions(30)
    first.begin_transaction()
    first.produce(topic + "-out", "of the fenced")
    first.flush(30)
    successor.init_transactions(30)
    try:
        first.commit_transaction(30)
    except KafkaException as error:
        return error.args[0].fatal()
    return "committed"


def visible():
    source = consumer("v-" + topic)
    source.subscribe([topic + "-out"])
    values = read(source, 1)
    source.close()
    return values


attempt("create topic", create)
attempt("produce idempotent", produce, ([], 0))
attempt("consume by group, commit", consume_and_commit, sorted(f"v{i}" for i in range(10)))
attempt("committed offsets", committed, 10)
for name in filter(supported, protocols):
    attempt(
        f"two members share, one goes on ({name})",
        lambda: two_members(name),
        ([2, 1, 1, 2], visible_count, ["first", "fourth", "second", "third"]),
    )
    visible_count += 4
attempt("transaction aborted, offsets unmoved", lambda: transaction(False), 0)
attempt("transaction committed, offsets moved", lambda: transaction(True), visible_count)
attempt("a successor fences", fenced, True)
attempt("read_committed sees the committed only", visible, ["committed"])
sys.exit(1 if failed else 0)
