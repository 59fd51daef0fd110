// SPDX-License-Identifier: Apache-2.0
// Goal: file, environment and flags become settings in the right order; every mistake is reported
// with place and remedy; what is printed loads again; the files in config/ name every key with its
// default. Method: texts in memory, and the files themselves.
#include "runtime/settings/load.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include "tests/support/temp_folder.hpp"

namespace argosy::settings {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

sources file_of(std::string text) {
  sources from;
  from.file = {"f.yaml", std::move(text)};
  return from;
}

sources variables(std::map<std::string, std::string> values) {
  sources from;
  from.environment = [values = std::move(values)](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional{found->second};
  };
  return from;
}

std::string error_of(const sources& from) {
  const auto all = load_argosyd(from);
  return all ? "accepted" : all.error().detail;
}

argosyd_settings must_load(const sources& from) {
  auto all = load_argosyd(from);
  if (!all) throw std::runtime_error(all.error().detail);
  return std::move(all->value);
}

TEST(load_settings, refuses_what_kubernetes_would_refuse_in_every_pod) {
  const auto job = [](const std::string& toleration) {
    return error_of(file_of("api: {defaultJobTolerations: [" + toleration + "]}\n"));
  };
  EXPECT_EQ(job("{key: example.com/a, operator: Exists}, {operator: Exists}"), "accepted");
  EXPECT_THAT(job("{}"), HasSubstr("item 1: key is empty, which only operator Exists allows"));
  EXPECT_THAT(job("{key: a}, {key: dedicated gpu}"), HasSubstr("item 2: key is 'dedicated gpu'"));
  EXPECT_THAT(job("{key: a, value: 'x y'}"), HasSubstr("value is 'x y'"));
  EXPECT_THAT(job("{key: a, operator: Exists, value: b}"), HasSubstr("value must be empty"));
  EXPECT_THAT(job("{key: a, effect: Never}"), HasSubstr("effect is 'Never'"));
  EXPECT_THAT(error_of(file_of("api: {defaultJobTolerationsByPriorityClass: [{name: "
                               "armada-default, tolerations: [{}]}]}\n")),
              HasSubstr("key is empty"));
  const auto agent = [](const std::string& section) {
    const auto read = load_agent(file_of("cluster: a\nkubernetes: {" + section + "}\n"));
    return read ? "accepted" : read.error().detail;
  };
  EXPECT_EQ(agent("ingressHostSuffix: .apps.example.com, ingressClass: nginx"), "accepted");
  EXPECT_THAT(agent("ingressHostSuffix: 'Bad Host_'"), HasSubstr("kubernetes.ingressHostSuffix"));
  EXPECT_THAT(agent("ingressClass: Bad Class"), HasSubstr("kubernetes.ingressClass"));
  EXPECT_THAT(agent("ingressAnnotations: {'a b': c}"), HasSubstr("has 'a b'"));
  EXPECT_THAT(agent("ingressCertificateSuffix: A"), HasSubstr("ingressCertificateSuffix"));
  EXPECT_THAT(agent("priorityClass: a_b"), HasSubstr("kubernetes.priorityClass"));
  EXPECT_THAT(agent("leaseName: a_b"), HasSubstr("kubernetes.leaseName"));
}

TEST(load_settings, takes_defaults_from_nothing) {
  const auto all = load_argosyd({});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->value.cycle.period, 1s);
  EXPECT_EQ(all->value.cycle.gap_min, 20ms);
  EXPECT_EQ(all->value.clusters.lease, 10min);
  EXPECT_THAT(all->origins, IsEmpty());
  EXPECT_TRUE(load_argosyd(file_of("# nothing\n")));
  EXPECT_TRUE(load_argosyd(file_of("cycle:\n")));
}

TEST(load_settings, later_sources_win_and_are_named) {
  auto from = variables({{"ARGOSY_CYCLE_PERIOD", "3s"}, {"ARGOSY_CYCLE_MIN_GAP", "30ms"}});
  from.file = {"f.yaml", "cycle:\n  period: 2s\n  minGap: 10ms\n  roundTimeout: 9s\n"};
  from.flags = {{"cycle.period", "4s"}};
  const auto all = load_argosyd(from);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->value.cycle.period, 4s);
  EXPECT_EQ(all->value.cycle.gap_min, 30ms);
  EXPECT_EQ(all->value.cycle.round_timeout, 9s);
  EXPECT_EQ(all->origins.at("cycle.period"), "flag");
  EXPECT_EQ(all->origins.at("cycle.minGap"), "ARGOSY_CYCLE_MIN_GAP");
  EXPECT_EQ(all->origins.at("cycle.roundTimeout"), "f.yaml:4:17");
}

TEST(load_settings, refuses_unknown_keys_with_the_nearest) {
  EXPECT_EQ(error_of(file_of("cycel:\n  period: 2s\n")),
            "f.yaml:1:1: unknown key 'cycel'; did you mean 'cycle'?");
  EXPECT_EQ(error_of(file_of("cycle:\n  perod: 2s\n")),
            "f.yaml:2:3: unknown key 'perod' in cycle; did you mean 'period'?");
  EXPECT_EQ(error_of(file_of("cycle:\n  xyz: 2s\n")),
            "f.yaml:2:3: unknown key 'xyz' in cycle; known are period, minGap, roundTimeout");
  EXPECT_THAT(error_of(file_of("cycle.period: 2s\n")), HasSubstr("unknown key 'cycle.period'"));
}

TEST(load_settings, refuses_wrong_types_and_ranges_with_their_place) {
  EXPECT_EQ(
      error_of(file_of("cycle:\n  period: soon\n")),
      "f.yaml:2:11: cycle.period: 'soon' is not a duration; write for example 20ms, 1s, 1h30m "
      "or 7d");
  EXPECT_EQ(error_of(file_of("cycle: 1s\n")),
            "f.yaml:1:8: cycle: is a section; write its keys below it");
  EXPECT_EQ(error_of(file_of("tracing:\n  sampleRatio: 2.0\n")),
            "f.yaml:2:16: tracing.sampleRatio: must be from 0.0 to 1.0");
  EXPECT_EQ(error_of(file_of("health: {listen: here}\n")),
            "f.yaml:1:18: health.listen: must be HOST:PORT, for example 127.0.0.1:9090, or off");
  EXPECT_EQ(error_of(file_of("[]\n")),
            "f.yaml:1:1: a configuration is a mapping of keys to values");
  EXPECT_THAT(error_of(file_of("a: &x 1\n")), HasSubstr("f.yaml:1:4: anchors"));
}

TEST(load_settings, reports_all_mistakes_at_once) {
  EXPECT_EQ(
      error_of(file_of("cycle: {period: x, gap: 1}\nhealth: {listen: 5}\n")),
      "f.yaml:1:17: cycle.period: 'x' is not a duration; write for example 20ms, 1s, 1h30m or "
      "7d\n"
      "f.yaml:1:20: unknown key 'gap' in cycle; known are period, minGap, roundTimeout\n"
      "f.yaml:2:18: health.listen: must be HOST:PORT, for example 127.0.0.1:9090, or off");
}

TEST(load_settings, refuses_bad_variables_and_flags_by_their_name) {
  EXPECT_EQ(error_of(variables({{"ARGOSY_TRACING_ENABLED", "maybe"}})),
            "ARGOSY_TRACING_ENABLED: tracing.enabled: 'maybe' is not true or false");
  EXPECT_EQ(
      error_of(variables({{"ARGOSY_HEALTH_LISTEN", "x"}})),
      "ARGOSY_HEALTH_LISTEN: health.listen: must be HOST:PORT, for example 127.0.0.1:9090, or "
      "off");
  EXPECT_EQ(error_of(variables({{"ARGOSY_DATA_DIR", "a\x1b"}})),
            "ARGOSY_DATA_DIR: dataDir: holds a control character");
  sources from;
  from.flags = {{"cycle.perod", "2s"}};
  EXPECT_EQ(error_of(from),
            "flag cycle.perod: there is no such setting; did you mean 'cycle.period'?");
}

TEST(load_settings, takes_texts_of_variables_as_they_stand_and_lists_as_yaml) {
  const auto value = must_load(variables({{"ARGOSY_DATA_DIR", "/a: #b"},
                                          {"ARGOSY_SCHEDULING_INDEXED_NODE_LABELS", "[zone, rack]"},
                                          {"ARGOSY_SCHEDULING_POOLS", "[{name: gpu}]"}}));
  EXPECT_EQ(value.data_dir, "/a: #b");
  EXPECT_THAT(value.scheduling.keys.indexed_labels, ElementsAre("zone", "rack"));
  ASSERT_EQ(value.scheduling.pools.size(), 1U);
  EXPECT_EQ(value.scheduling.pools[0].name, "gpu");
}

TEST(load_settings, checks_rules_between_keys) {
  EXPECT_EQ(error_of(file_of("cycle: {period: 10ms}\n")),
            "f.yaml:1:17: cycle.minGap must not be longer than cycle.period");
  EXPECT_EQ(error_of(file_of("scheduling: {defaultPriorityClassName: x}\n")),
            "f.yaml:1:40: scheduling.defaultPriorityClassName is 'x', which is not in "
            "scheduling.priorityClasses");
  EXPECT_EQ(error_of(file_of("scheduling: {resources: [{name: cpu}], indexedResources: []}\n")),
            "f.yaml:1:25: scheduling.resources: the resolution of 'cpu' must be 1m");
  EXPECT_EQ(error_of(file_of("scheduling:\n  pools: [{name: a}, {name: a}, {}]\n")),
            "f.yaml:2:10: scheduling.pools names 'a' twice\n"
            "f.yaml:2:10: scheduling.pools has an item without a name");
  EXPECT_EQ(error_of(file_of("journal: {replicas: 2}\n")),
            "f.yaml:1:21: journal.replicas: must be 1, 3 or 5");
}

TEST(load_settings, tells_where_keys_that_disagree_were_set) {
  auto from = variables({{"ARGOSY_CYCLE_PERIOD", "10ms"}});
  EXPECT_EQ(error_of(from),
            "ARGOSY_CYCLE_PERIOD: cycle.minGap must not be longer than cycle.period");
  from.flags = {{"cycle.minGap", "11ms"}};
  EXPECT_EQ(error_of(from), "flag: cycle.minGap must not be longer than cycle.period");
  EXPECT_EQ(load_scheduling("defaultPriorityClassName: x\n", "s.yaml").error().detail,
            "s.yaml:1:27: scheduling.defaultPriorityClassName is 'x', which is not in "
            "scheduling.priorityClasses");
}

TEST(load_settings, tells_each_mistake_once) {
  EXPECT_EQ(error_of(file_of("scheduling: {resources: [{name: cpu}, {name: cpu}],"
                             " indexedResources: []}\n")),
            "f.yaml:1:25: scheduling.resources names 'cpu' twice\n"
            "f.yaml:1:25: scheduling.resources: the resolution of 'cpu' must be 1m");
}

TEST(load_settings, refuses_resources_that_nodes_do_not_have) {
  const auto unknown = [](const std::string& place, const std::string& key) {
    return "f.yaml:" + place + ": " + key +
           " names 'foo', which is neither in scheduling.resources nor in "
           "scheduling.floatingResources";
  };
  for (const auto* key :
       {"defaultJobLimits", "minJobResources", "maxOversubscriptionByResourceRequest"})
    EXPECT_EQ(error_of(file_of("api:\n  " + std::string{key} + ":\n    {foo: 1}\n")),
              unknown("3:5", "api." + std::string{key}));
  EXPECT_EQ(error_of(file_of("api: {defaultActiveDeadlineByResourceRequest: {foo: 1h}}\n")),
            unknown("1:47", "api.defaultActiveDeadlineByResourceRequest"));
  EXPECT_EQ(error_of(file_of("api: {defaultJobTolerationsByResourceRequest: [{name: foo}]}\n")),
            unknown("1:47", "api.defaultJobTolerationsByResourceRequest"));
  for (const auto* key : {"maximumResourceFractionToSchedule", "costMultipliers"})
    EXPECT_EQ(error_of(file_of("scheduling:\n  " + std::string{key} + ":\n    {foo: 0.5}\n")),
              unknown("3:5", "scheduling." + std::string{key}));
  EXPECT_EQ(error_of(file_of("scheduling:\n  priorityClasses: [{name: armada-default, "
                             "maximumResourceFractionPerQueue: {foo: 0.5}}]\n")),
            unknown("2:20", "scheduling.priorityClasses: 'armada-default'"));
  EXPECT_EQ(error_of(file_of("scheduling:\n  pools: [{name: a, unscheduledResources: [foo]}]\n")),
            unknown("2:10", "scheduling.pools: 'a'"));
  EXPECT_EQ(error_of(file_of("scheduling: {pools: [{name: a, "
                             "maximumResourceFractionToSchedule: {foo: 0.5}}]}\n")),
            unknown("1:21", "scheduling.pools: 'a'"));
}

TEST(load_settings, takes_resources_that_pools_have_as_a_whole) {
  EXPECT_EQ(error_of(file_of("api: {defaultJobLimits: {licence: 1}}\n"
                             "scheduling:\n  floatingResources: [{name: licence, total: 20}]\n"
                             "  maximumResourceFractionToSchedule: {licence: 0.5}\n")),
            "accepted");
  EXPECT_EQ(error_of(file_of("scheduling: {floatingResources: [{name: cpu, total: 3}]}\n")),
            "f.yaml:1:33: scheduling.floatingResources names 'cpu', which nodes have by "
            "scheduling.resources; a resource is of nodes or of pools");
}

TEST(load_settings, defaults_may_name_resources_that_nodes_do_not_have) {
  EXPECT_EQ(error_of(file_of("scheduling:\n  preset: classic\n  resources: [{name: cpu, "
                             "resolution: 1m}]\n  indexedResources: []\n")),
            "accepted");
}

TEST(load_settings, jobs_may_name_the_priority_classes_that_there_are) {
  const auto unknown = [](const std::string& key, const std::string& name) {
    return key + " names '" + name + "', which is not in scheduling.priorityClasses";
  };
  EXPECT_THAT(must_load({}).api.priority_classes, IsEmpty()) << "all of them";
  EXPECT_EQ(error_of(file_of("api: {allowedPriorityClassNames: [armada-default, high]}\n")),
            "f.yaml:1:34: " + unknown("api.allowedPriorityClassNames", "high"));
  EXPECT_EQ(error_of(file_of("api: {allowedPriorityClassNames: [armada-preemptible]}\n")),
            "f.yaml:1:34: api.allowedPriorityClassNames lacks 'armada-default', the class of "
            "scheduling.defaultPriorityClassName");
  EXPECT_EQ(error_of(file_of("api: {defaultJobTolerationsByPriorityClass: [{name: high}]}\n")),
            "f.yaml:1:45: " + unknown("api.defaultJobTolerationsByPriorityClass", "high"));
  EXPECT_EQ(error_of(file_of("api: {allowedPriorityClassNames: [armada-default]}\n")), "accepted");
}

TEST(load_settings, reads_lists_of_sections_with_places_in_errors) {
  const auto value = must_load(file_of(
      "scheduling:\n  priorityClasses:\n    - name: armada-default\n      priority: 1000\n"
      "      awayNodeTypes: [{priority: 5, nodeType: gpu}]\n"
      "  wellKnownNodeTypes:\n    - name: gpu\n      taints: [{key: gpu, value: \"true\"}]\n"));
  ASSERT_EQ(value.scheduling.classes.size(), 1U);
  EXPECT_EQ(value.scheduling.classes[0].away.at(0).node_type, "gpu");
  EXPECT_EQ(value.scheduling.node_types.at(0).taints.at(0).value, "true");
  EXPECT_EQ(error_of(file_of("scheduling:\n  pools:\n    - nam: x\n")),
            "f.yaml:3:7: unknown key 'nam'; did you mean 'name'?");
  EXPECT_EQ(error_of(file_of("scheduling:\n  pools: [x]\n")),
            "f.yaml:2:11: scheduling.pools: each item must be a mapping");
}

TEST(load_settings, a_preset_sets_its_keys_and_leaves_the_rest_to_the_file) {
  const auto value =
      must_load(file_of("scheduling:\n  jobOrder: [class, priority, time]\n  preset: classic\n"));
  EXPECT_EQ(value.scheduling.keys.cost, scheduling::cost_kind::weighted_sum);
  EXPECT_TRUE(value.scheduling.keys.gang_in_one_cluster);
  EXPECT_TRUE(value.scheduling.keys.class_in_job_order);
  EXPECT_FALSE(value.scheduling.keys.class_before_cost);
  auto from = variables({{"ARGOSY_SCHEDULING_PRESET", "lottery"}});
  from.file = {"f.yaml", "scheduling: {preset: classic}\n"};
  EXPECT_EQ(must_load(from).scheduling.keys.selection,
            scheduling::queue_selection::slices_then_lottery);
  from.flags = {{"scheduling.preset", "current"}};
  EXPECT_FALSE(must_load(from).scheduling.keys.exact_index);
  EXPECT_EQ(
      error_of(file_of("scheduling: {preset: clasic}\n")),
      "f.yaml:1:22: scheduling.preset: 'clasic' is none of argosy, current, unified, classic, "
      "lottery; did you mean 'classic'?");
}

TEST(load_settings, reads_the_scheduling_section_alone_or_in_a_whole_file) {
  const auto alone = load_scheduling("preset: unified\nmaxQueueLookback: 5\n", "s.yaml");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->keys.base, scheduling::preset::unified);
  EXPECT_FALSE(alone->keys.evicted_first);
  EXPECT_EQ(alone->keys.max_lookback, 5U);
  const auto whole = load_scheduling("dataDir: /x\nscheduling:\n  preset: unified\n", "s.yaml");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->keys.base, scheduling::preset::unified);
  EXPECT_EQ(load_scheduling("presett: unified\n", "s.yaml").error().detail,
            "s.yaml:1:1: unknown key 'presett'; did you mean 'preset'?");
}

TEST(load_settings, reads_an_agent) {
  const auto all =
      load_agent(file_of("cluster: sim-1\nbackend: simulated\nsimulated:\n  nodes:\n    - name: "
                         "big\n      count: 100\n"
                         "      resources: {cpu: 64, memory: 512Gi}\n      labels: {zone: a}\n"
                         "      taints: [{key: gpu, effect: NoExecute}]\n  failureRate: 0.1\n"));
  ASSERT_TRUE(all);
  const auto& kind = all->value.simulated.nodes.at(0);
  EXPECT_EQ(kind.count, 100U);
  EXPECT_EQ(kind.resources, (amount_list{{"cpu", 64'000}, {"memory", std::int64_t{512} << 30}}));
  EXPECT_EQ(kind.taints.at(0).effect, taint_effect::no_execute);
  const auto name = std::string(64, 'a');
  EXPECT_TRUE(load_agent(file_of("cluster: " + name + "\n")));
  EXPECT_EQ(
      load_agent(file_of("cluster: " + name + "\nbackend: kubernetes\n")).error().detail,
      "f.yaml:1:10: cluster has more than 63 characters, which backend kubernetes takes as no "
      "name, since pods carry it as a label");
  EXPECT_EQ(load_agent(file_of("cluster: Bad_Name\n")).error().detail,
            "f.yaml:1:10: cluster: must be 1 to 253 of a-z, 0-9, '-' and '.', beginning and ending "
            "with a letter or digit");
  EXPECT_EQ(
      load_agent(file_of("simulated: {nodes: [{name: a}]}\n")).error().detail,
      "f.yaml:1:20: simulated.nodes: 'a' needs resources, for example {cpu: 32, memory: 256Gi}");
}

TEST(load_settings, reads_the_users_of_runs) {
  const auto all =
      load_agent(file_of("process:\n  uidRange: 3000000-3000099\n  allowedUsers: [1000]\n"
                         "  allowedGroups: [100, 1000]\n"));
  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_EQ(all->value.process.uid_range, "3000000-3000099");
  EXPECT_THAT(all->value.process.allowed_users, ElementsAre(1000U));
  EXPECT_THAT(all->value.process.allowed_groups, ElementsAre(100U, 1000U));
  const auto text = print_effective(*all);
  EXPECT_THAT(text, HasSubstr("  allowedUsers: [1000]  # f.yaml:3:17\n"));
  const auto again = load_agent(file_of(text));
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_THAT(again->value.process.allowed_users, ElementsAre(1000U));
  EXPECT_TRUE(load_agent(file_of("process: {uidRange: '', allowedUsers: []}\n")));
  for (const auto* wrong :
       {"allowedUsers: [root]", "allowedUsers: 1000", "allowedUsers: [-1]",
        "allowedUsers: [4294967295]", "allowedUsers: [4294967296]", "uidRange: 0-9",
        "uidRange: 9-5", "uidRange: 5", "uidRange: 1-4294967295"})
    EXPECT_FALSE(load_agent(file_of("process: {" + std::string{wrong} + "}\n"))) << wrong;
}

TEST(load_settings, what_is_printed_loads_again_and_names_its_origins) {
  auto from =
      file_of("cycle: {period: 2s}\nscheduling:\n  preset: classic\n  pools: [{name: gpu}]\n");
  const auto all = load_argosyd(from);
  ASSERT_TRUE(all);
  const auto text = print_effective(*all);
  EXPECT_THAT(text, HasSubstr("  period: 2s  # f.yaml:1:17\n"));
  EXPECT_THAT(text, HasSubstr("  minGap: 20ms  # default\n"));
  EXPECT_THAT(text, HasSubstr("  cost: weightedSum  # default\n"));
  const auto again = load_argosyd(file_of(text));
  ASSERT_TRUE(again) << again.error().detail;
  auto plain = *again;
  plain.origins = all->origins;
  EXPECT_EQ(print_effective(plain), text);
}

TEST(load_settings, printing_leaves_secrets_out) {
  const auto all = load_argosyd(file_of("nats: {url: \"nats://s3cret@a:1,nats://u:p@b:2\"}\n"));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->value.nats.url, "nats://s3cret@a:1,nats://u:p@b:2");
  const auto text = print_effective(*all);
  EXPECT_THAT(text, HasSubstr("nats://***@a:1,nats://***@b:2"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("s3cret")));
}

TEST(load_settings, each_key_has_a_variable_of_its_own) {
  EXPECT_EQ(environment_name("cycle.minGap"), "ARGOSY_CYCLE_MIN_GAP");
  argosyd_settings value;
  field_table table;
  describe(table, value);
  std::set<std::string> names;
  for (const auto path : table.paths())
    EXPECT_TRUE(names.insert(environment_name(path)).second) << path;
}

TEST(load_settings, reads_files_or_says_why_not) {
  EXPECT_EQ(read_file("/nowhere/f.yaml").error().code, ec::not_found);
  EXPECT_FALSE(read_file("/").has_value());
  const auto sample = std::string{ARGOSY_SOURCE_DIR} + "/config/argosyd.yaml";
  const auto whole = read_file(sample);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(read_file(sample, whole->size()));
  const auto refused = read_file(sample, whole->size() - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::too_large);
  EXPECT_THAT(refused.error().detail, HasSubstr(sample));
}

TEST(settings_file, may_be_a_pipe_whose_writer_is_waited_for) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer{[&] {
    for (const auto* part : {"cycle:\n", "  interval: 1s\n"})
      EXPECT_GT(::write(ends[1], part, std::strlen(part)), 0);
    ::close(ends[1]);
  }};
  const auto text = read_file("/dev/fd/" + std::to_string(ends[0]));
  writer.join();
  ::close(ends[0]);
  ASSERT_TRUE(text) << text.error().detail;
  EXPECT_EQ(*text, "cycle:\n  interval: 1s\n");
}

TEST(settings_file, that_is_a_pipe_into_which_nobody_writes_is_given_up) {
  testing::temp_folder temp;
  const auto path = temp.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto text = read_file(path.string());
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().detail, HasSubstr("timed out"));
}

/// The sample file must be exactly what the table prints. ARGOSY_UPDATE_GOLDEN writes it.
void compare_sample(const std::string& name, const std::string& text) {
  const auto path = std::string{ARGOSY_SOURCE_DIR} + "/config/" + name;
  if (std::getenv("ARGOSY_UPDATE_GOLDEN") != nullptr) std::ofstream{path} << text;
  const auto sample = read_file(path);
  ASSERT_TRUE(sample) << sample.error().detail;
  EXPECT_EQ(*sample, text) << "run with ARGOSY_UPDATE_GOLDEN=1 to write " << path;
}

TEST(sample_files, name_every_key_with_its_default) {
  compare_sample("argosyd.yaml", documented_argosyd());
  compare_sample("agent.yaml", documented_agent());
}

TEST(sample_files, load_and_equal_the_defaults) {
  const auto argosyd = load_argosyd(file_of(documented_argosyd()));
  ASSERT_TRUE(argosyd) << argosyd.error().detail;
  EXPECT_EQ(print_effective({argosyd->value, {}}), print_effective(*load_argosyd({})));
  const auto agent = load_agent(file_of(documented_agent()));
  ASSERT_TRUE(agent) << agent.error().detail;
  EXPECT_EQ(print_effective({agent->value, {}}), print_effective(*load_agent({})));
}

TEST(sample_files, keys_of_a_preset_still_follow_it) {
  auto text = documented_argosyd();
  const std::string line = "  preset: argosy\n";
  text.replace(text.find(line), line.size(), "  preset: classic\n");
  const auto value = must_load(file_of(text));
  EXPECT_EQ(value.scheduling.keys.cost, scheduling::cost_kind::weighted_sum);
}

}  // namespace
}  // namespace argosy::settings
