"""confluent.py HOST:PORT RUN: the steps of run-all.sh with python3-confluent-kafka (librdkafka)."""

import sys

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

bootstrap, run = sys.argv[1], sys.argv[2]
topic = "confluent-" + run
failed = False


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
    """Values until there are as many as asked for, and a second longer."""
    import time

    values, deadline = [], time.time() + seconds
    while time.time() < deadline:
        message = source.poll(0.2)
        if message is not None and message.error() is None:
            values.append(message.value().decode())
        if len(values) >= count:
            deadline = min(deadline, time.time() + 1)
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


def two_members():
    first, second = consumer("r-" + topic), consumer("r-" + topic)
    first.subscribe([topic])
    read(first, 10, 20)
    second.subscribe([topic])
    shares = []
    for _ in range(150):
        first.poll(0.1)
        second.poll(0.1)
        shares = [len(first.assignment()), len(second.assignment())]
        if shares == [1, 1]:
            break
    first.close()
    second.close()
    return shares


def transaction(commit):
    """Reads from the group, writes, stages the offset, ends; answers the group's offsets after."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": "t-" + topic})
    producer.init_transactions(30)
    source = consumer("x-" + topic)
    source.subscribe([topic])
    read(source, 1)
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
attempt("two members share", two_members, [1, 1])
attempt("transaction aborted, offsets unmoved", lambda: transaction(False), 0)
attempt("transaction committed, offsets moved", lambda: transaction(True), 10)
attempt("read_committed sees the committed only", visible, ["committed"])
sys.exit(1 if failed else 0)
