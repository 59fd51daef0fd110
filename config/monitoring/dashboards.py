# SPDX-License-Identifier: Apache-2.0
"""What the dashboards show: the one source of the JSON files in grafana/.

A dashboard is a title, a sentence for whoever opens it, and rows. A row is a title and panels. A
panel is what panel() and its relatives below make: a title, what it means, the unit, and queries
of PromQL with the text of their legend. `$pool` and `$queue` are what is chosen above the panels.
generate.py writes the files; it numbers panels and lays them out.
"""

POOL = 'pool=~"$pool"'
QUEUE = 'queue=~"$queue"'


def panel(title, means, unit, *queries, kind="timeseries", width=8):
    """Queries are pairs of an expression and the legend of its series."""
    return {"title": title, "means": means, "unit": unit, "queries": queries, "kind": kind,
            "width": width}


def number(title, means, unit, expression, width=4):
    return panel(title, means, unit, (expression, ""), kind="stat", width=width)


def quantiles(metric, by="", matching=""):
    """The median and the slow hundredth of a histogram."""
    labels = f"le,{by}" if by else "le"
    legend = f"{{{{{by}}}}} " if by else ""
    return tuple(
        (f"histogram_quantile({q}, sum by ({labels}) (rate({metric}_bucket{{{matching}}}[5m])))",
         f"{legend}p{round(q * 100)}")
        for q in (0.5, 0.99))


OVERVIEW = {
    "uid": "argosy-overview", "title": "Argosy: overview",
    "means": "Whether Argosy serves its users well. Start here.",
    "rows": [
        ("Now", [
            number("Leads", "1 while some argosyd leads; 0 means that nothing is decided.", "none",
                   "max(argosy_leader_epoch > bool 0)"),
            number("Queued jobs", "Jobs that wait.", "short",
                   'sum(argosy_queue_jobs{state="queued"})'),
            number("Running jobs", "Jobs that run.", "short",
                   'sum(argosy_queue_jobs{state="running"})'),
            number("Silent clusters", "Clusters that are not heard.", "none",
                   'sum(argosy_clusters{state="silent"})'),
            number("Log in use", "The part of the log's room that is used. From 85 % on nothing "
                   "new is accepted.", "percentunit",
                   "max(argosy_log_bytes / argosy_log_bytes_max)"),
            number("Store in use", "The part of the store's room that is used.", "percentunit",
                   "max(argosy_store_map_used_ratio)"),
        ]),
        ("What users feel", [
            panel("Wait until a job runs", "From the submission to the begin of the first run.",
                  "s", *quantiles("argosy_job_wait_seconds")),
            panel("Jobs that end", "By how they ended, a second.", "ops",
                  ("sum by (state) (rate(argosy_jobs_total[5m]))", "{{state}}")),
            panel("Runs that fail", "By the category of the failure, a second.", "ops",
                  ("sum by (category, subcategory) (rate(argosy_failures_total[5m]))",
                   "{{category}} {{subcategory}}")),
            panel("Calls by result", "Calls of users, a second.", "ops",
                  ("sum by (result) (rate(argosy_gateway_calls_total[5m]))", "{{result}}")),
            panel("Time of calls", "Until a call has its answer.", "s",
                  *quantiles("argosy_gateway_call_seconds")),
            panel("Queued and running", "Live jobs by state.", "short",
                  ("sum by (state) (argosy_queue_jobs)", "{{state}}")),
        ]),
        ("The process", [
            panel("Memory", "What argosyd and the agents take.", "bytes",
                  ("process_resident_memory_bytes", "{{instance}}")),
            panel("Processor", "Cores in use.", "none",
                  ("rate(process_cpu_seconds_total[5m])", "{{instance}}")),
            panel("Errors in the log", "Lines of level error and warning, a second.", "ops",
                  ('sum by (level) (rate(argosy_log_lines_total{level=~"error|warning"}[5m]))',
                   "{{level}}")),
        ]),
    ],
}

FAIRNESS = {
    "uid": "argosy-fairness", "title": "Argosy: fairness",
    "means": "Who gets how much of a pool, and who lacks it.",
    "rows": [
        ("Shares", [
            panel("What queues have", "The share of the pool that a queue holds.", "percentunit",
                  (f'argosy_queue_share_ratio{{kind="actual",{POOL},{QUEUE}}}', "{{queue}}")),
            panel("What they are due", "The share by weight, with what others leave, at most what "
                  "the queue wants.", "percentunit",
                  (f'argosy_queue_share_ratio{{kind="adjusted",{POOL},{QUEUE}}}', "{{queue}}")),
            panel("What they want", "The share that would give the queue all it asks for.",
                  "percentunit",
                  (f'argosy_queue_share_ratio{{kind="demand",{POOL},{QUEUE}}}', "{{queue}}")),
        ]),
        ("Lacks", [
            panel("Unfairness", "The part of a pool that queues lack of their adjusted shares.",
                  "percentunit", (f"argosy_pool_unfairness_ratio{{{POOL}}}", "{{pool}}")),
            panel("Starving queues", "For how long a queue has had less than its adjusted share.",
                  "s", (f"argosy_queue_starved_seconds{{{POOL},{QUEUE}}} > 0",
                        "{{pool}} {{queue}}")),
            panel("Weights", "The weight of each queue.", "none",
                  (f"argosy_queue_weight{{{POOL},{QUEUE}}}", "{{queue}}")),
        ]),
        ("Preemption", [
            panel("Preempted jobs", "Jobs that ended since they were preempted, a second.", "ops",
                  (f'sum by (queue) (rate(argosy_jobs_total{{state="PREEMPTED",{QUEUE}}}[15m]))',
                   "{{queue}}")),
            panel("Work lost to preemption", "Cores that preempted runs had held, averaged.",
                  "none",
                  ('sum by (queue) (rate(argosy_preemption_lost_seconds_total'
                   f'{{resource="cpu",{POOL},{QUEUE}}}[1h]))', "{{queue}}")),
            panel("Preemptions by rounds", "Preemptions and leases that rounds decided, a second.",
                  "ops", ("rate(argosy_round_preemptions_total[5m])", "preemptions"),
                  ("rate(argosy_round_leases_total[5m])", "leases")),
        ]),
    ],
}

QUEUES = {
    "uid": "argosy-queues", "title": "Argosy: queues",
    "means": "What each queue has waiting, running and done.",
    "rows": [
        ("Jobs", [
            panel("Waiting", "Queued jobs.", "short",
                  (f'argosy_queue_live_jobs{{state="QUEUED",{QUEUE}}}', "{{queue}}")),
            panel("Running", "Running jobs.", "short",
                  (f'argosy_queue_live_jobs{{state="RUNNING",{QUEUE}}}', "{{queue}}")),
            panel("Held", "Queued jobs that somebody holds back.", "short",
                  (f"argosy_queue_held_jobs{{{QUEUE}}} > 0", "{{queue}}")),
            panel("Succeeded", "Jobs that succeeded, a second.", "ops",
                  (f'rate(argosy_queue_ended_jobs_total{{state="SUCCEEDED",{QUEUE}}}[5m])',
                   "{{queue}}")),
            panel("Failed", "Jobs that failed, a second, by the category of the failure.", "ops",
                  ("sum by (queue, reason) "
                   f'(rate(argosy_jobs_total{{state="FAILED",{QUEUE}}}[5m]))',
                   "{{queue}} {{reason}}")),
            panel("Cores used", "Cores that ended runs had requested, averaged over an hour.",
                  "none", (f"rate(argosy_queue_used_core_seconds_total{{{QUEUE}}}[1h])",
                           "{{queue}}")),
        ]),
        ("Time", [
            panel("Wait until a job runs", "The slow hundredth of each queue.", "s",
                  ("histogram_quantile(0.99, sum by (le, queue) "
                   f"(rate(argosy_job_wait_seconds_bucket{{{QUEUE}}}[15m])))", "{{queue}}")),
            panel("Until a node is found", "From when a job could start until it had a node.", "s",
                  *quantiles("argosy_job_schedule_delay_seconds", matching=QUEUE)),
            panel("Waits by class", "The slow hundredth of each priority class.", "s",
                  ("histogram_quantile(0.99, sum by (le, priority_class) "
                   f"(rate(argosy_job_wait_seconds_bucket{{{POOL}}}[15m])))",
                   "{{priority_class}}")),
        ]),
        ("Amounts", [
            panel("Cores held", "What running jobs have.", "none",
                  (f'argosy_queue_allocated{{resource="cpu",{POOL},{QUEUE}}}', "{{queue}}")),
            panel("Cores wanted", "What the queue wants in all.", "none",
                  (f'argosy_queue_demand{{resource="cpu",{POOL},{QUEUE}}}', "{{queue}}")),
            panel("Gangs", "Gangs with live members.", "short", ("argosy_gangs", "{{state}}")),
        ]),
    ],
}

NODES = {
    "uid": "argosy-nodes", "title": "Argosy: clusters and nodes",
    "means": "What the machines offer, what is in use, and what is wrong with them.",
    "rows": [
        ("Contact", [
            panel("Clusters", "By contact.", "short",
                  ("argosy_clusters", "{{state}}")),
            panel("Silence", "Time since an agent was heard.", "s",
                  ("argosy_cluster_silence_seconds", "{{cluster}}")),
            panel("Nodes", "By state.", "short",
                  (f"sum by (state) (argosy_cluster_nodes{{{POOL}}})", "{{state}}")),
        ]),
        ("Capacity", [
            panel("Cores in use", "The part of the cores that runs request.", "percentunit",
                  (f'sum by (pool) (argosy_allocated{{resource="cpu",{POOL}}}) / '
                   f'sum by (pool) (argosy_capacity{{resource="cpu",{POOL}}})', "{{pool}}")),
            panel("Memory in use", "The part of the memory that runs request.", "percentunit",
                  (f'sum by (pool) (argosy_allocated{{resource="memory",{POOL}}}) / '
                   f'sum by (pool) (argosy_capacity{{resource="memory",{POOL}}})', "{{pool}}")),
            panel("Ready", "The part of the cores on nodes that take new jobs.", "percentunit",
                  (f'sum by (cluster) (argosy_capacity_ready{{resource="cpu",{POOL}}}) / '
                   f'sum by (cluster) (argosy_capacity{{resource="cpu",{POOL}}})',
                   "{{cluster}}")),
            panel("Fragmentation", "The part of what is free that lies on nodes on which something "
                  "runs, so that large jobs may not fit.", "percentunit",
                  (f"argosy_fragmentation_ratio{{{POOL}}}", "{{pool}} {{resource}}")),
            panel("Cores", "What there is and what is requested.", "none",
                  (f'sum by (pool) (argosy_capacity{{resource="cpu",{POOL}}})', "{{pool}} offered"),
                  (f'sum by (pool) (argosy_allocated{{resource="cpu",{POOL}}})',
                   "{{pool}} requested")),
            panel("Quarantine", "Nodes that get no jobs since runs fail there.", "short",
                  ('argosy_nodes{state="quarantined"}', "quarantined")),
        ]),
    ],
}

ROUNDS = {
    "uid": "argosy-rounds", "title": "Argosy: rounds and actors",
    "means": "How the scheduler and the parts of argosyd do.",
    "rows": [
        ("Rounds", [
            panel("Time of a round", "From its start to its plan.", "s",
                  *quantiles("argosy_round_duration_seconds", "pool", POOL)),
            panel("Results", "Rounds by result, a second. A violation is a fault of the "
                  "scheduler.", "ops", ("rate(argosy_rounds_total[5m])", "{{result}}")),
            panel("Phases of rounds", "Where the time of rounds goes.", "s",
                  ("sum by (phase) (rate(argosy_round_phase_seconds_sum[5m]))", "{{phase}}")),
            panel("Jobs of the last round", "By what became of them.", "short",
                  (f"argosy_round_jobs{{{POOL}}}", "{{pool}} {{outcome}}")),
            panel("Why jobs got no place", "Jobs in the last round, by reason.", "short",
                  (f"sum by (reason) (argosy_unplaced_jobs{{{POOL}}})", "{{reason}}")),
            panel("Since the last round", "Time since the last round of each pool.", "s",
                  (f"time() - argosy_pool_round_time_seconds{{{POOL}}}", "{{pool}}")),
            panel("Leases", "Jobs that were given a node, a second.", "ops",
                  ("rate(argosy_round_leases_total[5m])", "leases")),
        ]),
        ("Actors", [
            panel("Oldest message", "For how long the oldest message of a type of actors has not "
                  "been done: the best single sign of trouble.", "s",
                  ("topk(10, argosy_actor_oldest_message_seconds)", "{{actor}}")),
            panel("Longest at work", "For how long an actor has been at one message.", "s",
                  ("topk(10, argosy_actor_busy_seconds)", "{{actor}}")),
            panel("Messages", "Messages done, a second.", "ops",
                  ("sum by (actor) (rate(argosy_actor_messages_total[5m]))", "{{actor}}")),
            panel("Waiting messages", "Messages in mailboxes.", "short",
                  ('argosy_actor_mailbox_depth{stat="sum"} > 0', "{{actor}}")),
            panel("Time at work", "Cores that each type of actors takes.", "none",
                  ("sum by (actor) (rate(argosy_actor_processing_seconds_sum[5m]))", "{{actor}}")),
            panel("Wait in mailboxes", "The slow hundredth.", "s",
                  ("histogram_quantile(0.99, sum by (le, actor) "
                   "(rate(argosy_actor_mailbox_wait_seconds_bucket[5m])))", "{{actor}}")),
        ]),
        ("Log and store", [
            panel("Records of the log", "Batches that became durable, a second.", "ops",
                  ("rate(argosy_journal_batches_total[5m])", "batches")),
            panel("Transactions", "The slow hundredth of writing transactions.", "s",
                  *quantiles("argosy_store_txn_duration_seconds", "op")),
            panel("Behind the log", "Records that the log has and the store has not folded yet.",
                  "short", ("argosy_log_position - argosy_store_position", "records")),
            panel("Not durable yet", "Bytes of decisions that wait for the log.", "bytes",
                  ("argosy_log_waiting_bytes", "bytes")),
            panel("Watchers", "Open streams of events.", "short",
                  ("argosy_feed_watchers", "watchers")),
            panel("Spans", "Steps of traces that were not kept, a second.", "ops",
                  ("rate(argosy_trace_spans_lost_total[5m])", "lost")),
        ]),
    ],
}

EXECUTORS = {
    "uid": "argosy-executors", "title": "Argosy: executors and links",
    "means": "How agents and the control plane talk, and what runs at the agents.",
    "rows": [
        ("Links", [
            panel("Requests", "Between control plane and agents, a second.", "ops",
                  ("sum by (result) (rate(argosy_link_requests_total[5m]))", "{{result}}")),
            panel("Open requests", "Requests without an answer yet.", "short",
                  ("argosy_link_requests_open", "{{instance}}")),
            panel("Refused orders", "Orders that no known key has signed, a second.", "ops",
                  ("rate(argosy_link_unsigned_orders_total[5m])", "{{instance}}")),
            panel("Calls of agents", "By result, a second.", "ops",
                  ("sum by (result) (rate(argosy_agent_gateway_calls_total[5m]))", "{{result}}")),
            panel("NATS", "1 while there is a connection.", "none",
                  ("argosy_bus_connected", "{{instance}}")),
            panel("Lost connections", "Over an hour.", "short",
                  ("increase(argosy_bus_disconnects_total[1h])", "{{instance}}")),
        ]),
        ("Executors", [
            panel("Runs", "Runs that have not ended.", "short",
                  ("argosy_executor_runs", "{{instance}}")),
            panel("Reports that wait", "Reports that the control plane has not acknowledged.",
                  "short", ("argosy_executor_outbox", "{{instance}}")),
            panel("Answers", "Time until the control plane has answered.", "s",
                  *quantiles("argosy_executor_answer_seconds", "to")),
            panel("Connected", "EXECUTORs that are in contact.", "short",
                  ("argosy_executor_connected", "{{instance}}")),
            panel("Store of the agent", "Transactions that failed, a second.", "ops",
                  ("rate(argosy_executor_store_failures_total[5m])", "{{instance}}")),
            panel("Runs that fail", "By category, a second.", "ops",
                  ("sum by (category) (rate(argosy_failures_total[5m]))", "{{category}}")),
        ]),
    ],
}

DASHBOARDS = [OVERVIEW, FAIRNESS, QUEUES, NODES, ROUNDS, EXECUTORS]
