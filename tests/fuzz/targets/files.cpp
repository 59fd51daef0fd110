// SPDX-License-Identifier: Apache-2.0
// Targets: the files that operators and users write, and those that we write for ourselves as text.
#include <algorithm>
#include <array>
#include <sstream>

#include "bins/argosyctl/client/contexts.hpp"
#include "bins/argosyd/upkeep/log_account.hpp"
#include "bins/argosyd/upkeep/manifest.hpp"
#include "messages/submit_file/declared_file.hpp"
#include "messages/submit_file/job_file.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/access/nkey.hpp"
#include "runtime/access/order_key.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/scheduling/snap1.hpp"
#include "runtime/settings/load.hpp"
#include "runtime/settings/yaml/parse.hpp"
#include "tests/fuzz/target.hpp"

namespace argosy::fuzz {
namespace {

/// Each top section of a configuration file, without comments, so that it is a small file alone.
std::vector<std::string> sections_of(const std::string& path) {
  std::vector<std::string> out;
  std::istringstream in{file_at(path)};
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '#') continue;
    if (first == 0) out.emplace_back();
    if (!out.empty()) out.back() += line + "\n";
  }
  return out;
}

bool same_nodes(const yaml::node& a, const yaml::node& b) {
  if (a.what() != b.what() || a.text() != b.text() || a.size() != b.size()) return false;
  auto other = b.items().begin();
  for (const auto item : a.items())
    if (!same_nodes(item, *other))
      return false;
    else
      ++other;
  auto entry = b.entries().begin();
  for (const auto each : a.entries()) {
    if (!same_nodes(each.key, (*entry).key) || !same_nodes(each.value, (*entry).value))
      return false;
    ++entry;
  }
  return true;
}

bool take_yaml(std::string_view input) {
  const auto [which, text] = choose(input, 3);
  yaml::limits limits{.bytes_max = 1 << 20, .nodes_max = 100'000};
  if (which > 0) limits.alias_nodes_max = 5'000;
  limits.control_characters = which == 2;
  const auto all = yaml::parse_all(text, "f.yaml", limits);
  const auto one = yaml::parse(text, "f.yaml", limits);
  if (!all) {
    require(!one, "a document is read that is none among several");
    return refused(all.error());
  }
  if (!one) return refused(one.error());
  require(all->size() <= 1, "one of several documents is read");
  require(all->empty() || same_nodes(all->front().root(), one->root()), "two readings differ");
  std::size_t given = 0;
  const auto items = yaml::parse_items(
      text, "f.yaml", "jobs",
      [&](const yaml::node&, std::size_t number) -> result<void> {
        require(number == given++, "items are not counted");
        return {};
      },
      limits);
  require(items.has_value(), "items of a document are refused");
  const auto jobs = one->root().find("jobs");
  require(given == (jobs && jobs->is_sequence() ? jobs->size() : 0), "items are missing");
  return true;
}

const registered yaml_texts{
    {.name = "yaml",
     .what = form::text,
     .choice_bytes = 1,
     .take = take_yaml,
     .seeds =
         [] {
           std::vector<std::string> out{
               with_choice(1,
                           "base: &b {cpu: 1, list: [a, 'b', \"c\\t\"]}\n"
                           "jobs:\n- <<: *b\n  text: |\n    two\n    lines\n- *b\n"),
               with_choice(2, "a: \"\\x07\"\nb: >-\n  folded\n  text\nc: {? d : e}\n"),
               with_choice(0, "--- a\n--- {b: [1, 2, [3]]}\n...\n")};
           for (const auto& text : files_in("config/examples", ".yaml"))
             if (text.size() < 3'000) out.push_back(with_choice(1, text));
           return out;
         },
     .inputs = 2'500}};

template <class Settings>
bool take_settings(std::string_view input,
                   result<settings::loaded<Settings>> (*load)(const settings::sources&)) {
  settings::sources from;
  from.file = {"argosyd.yaml", std::string{input}};
  from.environment = [](const std::string&) { return std::nullopt; };
  const auto read = load(from);
  if (!read) return refused(read.error());
  const auto printed = settings::print_effective(*read);
  if (printed.find("***") != std::string::npos) return true;
  from.file->second = printed;
  const auto again = load(from);
  require(again.has_value(), again ? "" : "printed settings do not load: " + again.error().detail);
  // What stood at its default is in the file now.
  from.file->second = settings::print_effective(*again);
  const auto third = load(from);
  require(third && settings::print_effective(*third) == from.file->second,
          "printed settings are others");
  return true;
}

const registered argosyd_settings{
    {.name = "settings_argosyd",
     .what = form::text,
     .take = [](std::string_view input) { return take_settings(input, settings::load_argosyd); },
     .seeds = [] { return sections_of("config/argosyd.yaml"); },
     .inputs = 500,
     .memory_max = std::size_t{4} << 20}};

const registered agent_settings{
    {.name = "settings_agent",
     .what = form::text,
     .take = [](std::string_view input) { return take_settings(input, settings::load_agent); },
     .seeds = [] { return sections_of("config/agent.yaml"); },
     .inputs = 1'000,
     .memory_max = std::size_t{4} << 20}};

bool take_jobs(std::string_view input) {
  const auto jobs = submit_file::read_jobs(input, "f.yaml", {.queue = "q", .job_set = "s"});
  if (!jobs) return refused(jobs.error());
  require(!jobs->jobs.empty(), "a file without jobs is taken");
  const auto requests = submit_file::divide(*jobs, std::size_t{1} << 20, 10);
  if (!requests) return refused(requests.error());
  std::size_t sent = 0;
  for (const auto& each : *requests) sent += each.jobs.size();
  require(sent == jobs->jobs.size(), "jobs are left out of the requests");
  return true;
}

const registered job_files{
    {.name = "job_files",
     .what = form::text,
     .take = take_jobs,
     .seeds =
         [] {
           std::vector<std::string> out{
               R"({"queue": "q", "jobSetId": "s", "jobs": [{"priority": "2", "count": 3,
  "namespace": "n", "labels": {"a": "b"}, "annotations": {"armadaproject.io/gangId": "g",
  "armadaproject.io/gangCardinality": "3"}, "services": [{"type": 1, "ports": ["5000", 6e3]}],
  "podSpec": {"activeDeadlineSeconds": "300", "terminationGracePeriodSeconds": 30.0,
  "priority": 1e3, "nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "k",
  "operator": "Exists"}], "containers": [{"name": "c", "image": "busybox", "command": ["sh"],
  "env": [{"name": "A", "value": "b"}], "resources": {"requests": {"cpu": "1"},
  "limits": {"cpu": 1}}}]}}]})"};
           for (const auto& text : files_in("config/examples", ".yaml"))
             if (text.size() < 3'000) out.push_back(text);
           return out;
         },
     .inputs = 2'000,
     // `count` makes as many jobs as it says.
     .memory_max = std::size_t{64} << 20}};

bool take_declared(std::string_view input) {
  const auto all = submit_file::read_declarations(input, "f.yaml");
  const auto queues = submit_file::read_queues(input, "f.yaml");
  if (!queues) refused(queues.error());
  const auto policies = submit_file::read_policies(input, "f.yaml");
  if (!policies) refused(policies.error());
  return all ? true : refused(all.error());
}

const registered declared_files{
    {.name = "declared_files",
     .what = form::text,
     .take = take_declared,
     .seeds =
         [] {
           return std::vector<std::string>{
               "kind: Queue\nname: a\npriorityFactor: 2.5\npermissions:\n- subjects:\n"
               "  - {name: ann, kind: User}\n  verbs: [submit, watch]\n"
               "resourceLimitsByPriorityClassName:\n  armada-default:\n"
               "    maximumResourceFraction: {cpu: 0.5}\nlabels: {team: sea}\n"
               "---\nkind: Queue\nname: b\ncordoned: true\nretryPolicies: [twice]\n",
               "kind: RetryPolicy\nname: twice\nretryLimit: 2\ndefaultAction: Fail\nrules:\n"
               "- {action: Retry, onCategory: oom, avoidSameNode: true, memory: \"*1.5\"}\n",
               "kind: Pool\nname: gpu\ndisableAway: true\nawayPools: [cpu]\n"
               "---\nkind: Settings\nscheduling: {maxNewDecisions: 10}\n"};
         },
     .inputs = 3'000,
     .memory_max = std::size_t{4} << 20}};

bool take_kubeconfig(std::string_view input) {
  const auto [which, text] = choose(input, 4);
  const kube::kubeconfig_options options{.context = (which & 1) == 0 ? "" : "home",
                                         .unverified_allowed = which > 1};
  const auto access = kube::read_kubeconfig(text, "/etc/kube.yaml", options);
  const auto twice = kube::read_kubeconfigs(
      {{"/etc/kube.yaml", std::string{text}}, {"/etc/kube.yaml", std::string{text}}}, options);
  require(access.has_value() == twice.has_value(), "the same file twice is another one");
  if (!access) return refused(access.error());
  require(access->server == twice->server, "the second file counts");
  require(access->verified || options.unverified_allowed, "an unverified server is taken");
  return true;
}

const registered kubeconfigs{
    {.name = "kubeconfigs",
     .what = form::text,
     .choice_bytes = 1,
     .take = take_kubeconfig,
     .seeds =
         [] {
           const std::string head =
               "apiVersion: v1\nkind: Config\ncurrent-context: work\ncontexts:\n"
               "- {name: work, context: {cluster: c, user: u, namespace: jobs}}\n"
               "- {name: home, context: {cluster: d}}\nclusters:\n"
               "- name: c\n  cluster: {server: https://10.0.0.1:6443, tls-server-name: x,"
               " certificate-authority-data: LS0tLS1CRUdJTg==}\n"
               "- {name: d, cluster: {server: https://home, insecure-skip-tls-verify: true}}\n"
               "users:\n- name: u\n  user: ";
           return std::vector{
               with_choice(0, head + "{token: sesame}\n"), with_choice(3, head + "{}\n"),
               with_choice(0, head + "{exec: {apiVersion: client.authentication.k8s.io/v1,"
                                     " command: login, args: [a], interactiveMode: Never,"
                                     " env: [{name: A, value: b}], provideClusterInfo: true}}\n"),
               with_choice(2, head + "{client-certificate: a.pem, client-key: b.pem}\n")};
         },
     .inputs = 3'000}};

constexpr const char* some_key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

bool take_credentials(std::string_view text) {
  const auto read = access::parse_credentials(text);
  if (!read) return refused(read.error());
  const auto printed = access::print_credentials(*read);
  const auto again = access::parse_credentials(printed);
  require(again && access::print_credentials(*again) == printed, "credentials do not come back");
  if (const auto key = access::public_key_of(read->seed))
    require(access::is_public_key(*key), "the key of a seed is none");
  if (const auto keys = access::order_checker::of_keys(read->order_keys))
    require(!keys->accepts(text, "argosy.agent.a.orders"), "a text is signed");
  return true;
}

bool take_plan(std::string_view text) {
  const auto plan = access::parse_plan(text);
  if (!plan) return refused(plan.error());
  const auto again = access::parse_plan(access::print_plan(*plan));
  require(again && *again == *plan, "a plan does not come back");
  const auto conf = access::server_conf(*plan);
  require(!access::conf_fault(*plan, conf, access::accounts_conf(*plan)), "a plan is not kept");
  return true;
}

bool take_conf(std::string_view text) {
  static_cast<void>(access::includes_accounts(text));
  access::server_plan plan;
  plan.store_dir = "/var/lib/nats";
  static_cast<void>(access::conf_fault(plan, text, text));
  return access::divided_conf(text).has_value();
}

bool take_contexts(std::string_view text) {
  const auto all = ctl::parse_contexts(text, "contexts.yaml");
  if (!all) return refused(all.error());
  const auto printed = ctl::print_contexts(*all);
  const auto again = ctl::parse_contexts(printed, "contexts.yaml");
  require(again && ctl::print_contexts(*again) == printed, "contexts do not come back");
  return true;
}

bool take_manifest(std::string_view text) {
  const auto read = argosyd::parse_manifest(text);
  if (!read) return refused(read.error());
  const auto again = argosyd::parse_manifest(argosyd::print_manifest(*read));
  require(again && *again == *read, "a manifest does not come back");
  return true;
}

bool take_account(std::string_view text) {
  return argosyd::parse_account(text, 3).has_value();
}

/// Each kind of small file, with one that is taken.
struct own_file {
  bool (*take)(std::string_view);
  std::string (*seed)();
};

const std::array own_files{
    own_file{take_credentials,
             [] {
               const auto key = access::make_nkey().value();
               access::credentials out{{access::party::user, "alice"}, key.seed};
               out.order_seed = key.seed;
               out.order_keys = {key.public_key};
               out.tenant = true;
               return access::print_credentials(out);
             }},
    own_file{take_plan,
             [] {
               access::server_plan out;
               out.store_dir = "/var/lib/argosy/jetstream";
               out.url = "nats://127.0.0.1:4222";
               out.certificate = "/etc/ssl/a certificate.pem";
               out.certificate_key = "/etc/ssl/key.pem";
               static_cast<void>(!access::add(out, {access::role::control_plane, "", some_key}));
               static_cast<void>(!access::add(out, {access::role::agent, "c.1", some_key}));
               return access::print_plan(out) + "# The end.\n";
             }},
    own_file{take_conf,
             [] {
               access::server_plan out;
               out.store_dir = "/var/lib/nats";
               return access::server_conf(out) + access::accounts_block({});
             }},
    own_file{take_contexts,
             [] {
               ctl::context_list out;
               out.current = "work";
               out.contexts.push_back({"work", "nats://a:4222", "ann", "word"});
               out.contexts.push_back({"home", "tls://b:4222"});
               return ctl::print_contexts(out);
             }},
    own_file{take_manifest,
             [] {
               argosyd::backup_manifest out{1, {1}, {2}, {3}, 4, "plane", {}};
               out.files = {{"data.mdb", 5, std::string(64, 'a')}};
               return argosyd::print_manifest(out);
             }},
    own_file{take_account,
             [] {
               return std::string{R"({"storage":5,"reserved_storage":7,"limits":{"max_storage":9},)"
                                  R"("tiers":{"R3":{"storage":1,"limits":{"max_storage":-1}}}})"};
             }},
};

const registered small_files{{.name = "own_files",
                              .what = form::text,
                              .choice_bytes = 1,
                              .take =
                                  [](std::string_view input) {
                                    const auto [which, text] = choose(input, own_files.size());
                                    return own_files[which].take(text);
                                  },
                              .seeds =
                                  [] {
                                    std::vector<std::string> out;
                                    for (std::size_t i = 0; i < own_files.size(); ++i)
                                      out.push_back(with_choice(i, own_files[i].seed()));
                                    return out;
                                  },
                              .inputs = 4'000}};

/// What a round does, with nodes and jobs as numbers, since names are written in another form.
std::vector<std::string> decided(const scheduling::snap1_world& world) {
  const auto plan = scheduling::schedule(world.jobs_and_nodes, world.conf, world.params);
  require(plan.violation.empty(), plan.violation);
  std::vector<std::string> out;
  for (const auto& lease : plan.leases)
    out.push_back("S " + to_string(lease.job) + " " + std::to_string(lease.priority));
  for (const auto& lost : plan.preemptions) out.push_back("P " + to_string(lost.job));
  std::ranges::sort(out);
  return out;
}

bool take_snap1(std::string_view input) {
  const auto conf = scheduling::bench_config(scheduling::preset::argosy);
  const auto world = scheduling::read_snap1(input, conf);
  if (!world) return refused(world.error());
  const auto written = scheduling::write_snap1(world->jobs_and_nodes, world->conf, world->params);
  const auto again = scheduling::read_snap1(written, conf);
  require(again.has_value(), again ? "" : "a written world is refused: " + again.error().detail);
  require(decided(*again) == decided(*world), "a written world is decided in another way");
  return true;
}

const registered worlds{{.name = "snap1",
                         .what = form::text,
                         .take = take_snap1,
                         .seeds = [] { return files_in("tests/oracle/surprises", ".snap"); },
                         .inputs = 3'000,
                         .memory_max = std::size_t{4} << 20}};

}  // namespace
}  // namespace argosy::fuzz
