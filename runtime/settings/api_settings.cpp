// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/api_settings.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "runtime/settings/access/pod_policy_settings.hpp"
#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/settings/checks/address.hpp"
#include "runtime/settings/units.hpp"

namespace argosy::settings {

namespace {

constexpr std::array<std::string_view, 4> role_names{"none", "viewer", "submitter", "operator"};

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// How long jobs wait for what is not there.
void describe_waits(field_table& table, argosyd_settings& item) {
  table.value("api.gangCardinalityMax", item.queues.gang_cardinality_max,
              "The largest number of members of a gang, from 1 on. The leases of a gang are one "
              "record of the log, so that gangs of more than about 6000 members are refused "
              "whatever stands here.",
              at_least<std::uint32_t>(1));
  table.value("api.gangMembersWithin", item.queues.gang_wait,
              "How long a gang that has not started waits for members that are not there, since "
              "they were never submitted or have ended; 0s is for ever, and the most is 30d. The "
              "time begins anew with "
              "each member that comes. Then the gang goes on with those that it has, if they are "
              "its minimum, and otherwise they are rejected.");
  table.value("api.onNeverFits", item.queues.unfit.way,
              "What becomes of a job or gang that no node of any known cluster could take even if "
              "all were empty. reject: it ends after neverFitsAfter, unless it has the annotation "
              "argosy.io/onNeverFits: hold. hold: it is blocked until such a node comes. wait: it "
              "waits and is told so. Its submission is told so in each case.");
  table.value("api.neverFitsAfter", item.queues.unfit.after,
              "How long such a job is blocked before it is rejected, 1s to 30d.",
              between<boot_time>(1s, 30 * 24h));
}

void describe_limits(field_table& table, argosyd_settings& item) {
  table.section("api",
                "What requests of users may contain, and what jobs get that leave something out.");
  table.value("api.requestBytesMax", item.api.limits.request_bytes_max,
              "The largest request, from 64KiB to 64MiB. The NATS server has a limit of its own, "
              "max_payload, which has to be at least as large.",
              between<byte_size>({64 * kibi}, {64 * mebi}));
  table.value(
      "api.unansweredBytesMax", item.api.limits.unanswered_bytes_max,
      "How many bytes of requests of one caller are worked on at a time, from 1MiB on, and "
      "of all callers eight times as many. What comes beyond it is refused as overload, but "
      "for a request that comes alone.",
      at_least<byte_size>({mebi}));
  table.value("api.jobsPerRequestMax", item.api.rules.jobs_per_request_max,
              "The largest number of jobs in one request, from 1 on. argosyctl divides a larger "
              "file by itself.",
              at_least<std::uint32_t>(1));
  table.value("api.podSpecBytesMax", item.api.rules.pod_spec_bytes_max,
              "The largest specification of one job, in bytes of its encoded form, from 256 on. "
              "A larger one is refused.",
              at_least<std::uint32_t>(256));
  table.value("api.jobSetBytesMax", item.api.rules.job_set_bytes_max,
              "The longest job set id in bytes, 1 to 1023.", between<std::uint32_t>(1, 1'023));
  table.value("api.clientIdBytesMax", item.api.rules.client_id_bytes_max,
              "The longest client id in bytes, 1 to 1000.", between<std::uint32_t>(1, 1'000));
  table.value("api.reasonBytesMax", item.api.limits.reason_bytes_max,
              "The longest reason of a cancel in bytes, 1 to 10000.",
              between<std::uint32_t>(1, 10'000));
  table.value("api.metadataBytesMax", item.api.rules.metadata_bytes_max,
              "The largest size of all labels and annotations of one job together, from 1KiB on.",
              at_least<byte_size>({kibi}));
  table.value("api.liveJobsPerQueueMax", item.queues.live_jobs_max,
              "How many jobs of one queue may be there that have not ended, from 1 on. "
              "Submissions beyond it are refused. A queued job takes about 1.5 KiB of memory.",
              at_least<std::size_t>(1));
  describe_waits(table, item);
  table.value("api.watchesMax", item.api.limits.watches_max,
              "How many streams of events may be open at a time, over all users, from 1 on; and "
              "half as many again of users who have no other.",
              at_least<std::uint32_t>(1));
  table.value("api.watchesPerUserMax", item.api.limits.watches_per_user_max,
              "How many of these one user may have, from 1 on, but at most half of all. Callers "
              "who do not say who they are count by their machines.",
              at_least<std::uint32_t>(1));
  table.value("api.queryItemsMax", item.api.limits.query_items_max,
              "How many jobs one query may name, from 1 on. argosyctl divides longer lists by "
              "itself.",
              at_least<std::uint32_t>(1));
  table.value("api.pastJobsMax", item.api.past_jobs_max,
              "How many jobs may be live at the time of a round that explain decides again; 0: as "
              "many as there are. Each takes about 2.7 kB of memory while that lasts. Questions "
              "about times with more are refused.");
  table.endless(
      "api.clientIdRetention", item.retention.client_ids,
      "For how long a repeated client id of a job, or idempotency key of a request, is "
      "recognised, so that nothing is submitted twice, from 1m on. They are kept in memory "
      "for this time.",
      at_least<boot_time>(1min));
}

void describe_jobs(field_table& table, api_settings& item) {
  table.value(
      "api.minTerminationGracePeriod", item.rules.grace_min,
      "The shortest time that a job may ask for between SIGTERM and SIGKILL, from 1s to 30d. "
      "Jobs that ask for none get this.",
      at_least<milliseconds>(1s));
  table.value("api.maxTerminationGracePeriod", item.rules.grace_max,
              "The longest time that a job may ask for between SIGTERM and SIGKILL, and not "
              "shorter than the shortest. At most 30d.",
              at_least<milliseconds>(1s));
  table.value("api.minJobResources", item.rules.requests_min,
              "The least that each container must request, by resource. Jobs that ask for less "
              "are refused.");
  table.value("api.maxOversubscriptionByResourceRequest", item.rules.oversubscription_max,
              "By how much a container's limit may exceed its request, by resource, for example "
              "{cpu: 2.0} for twice as much. A resource that is not named must have equal limit "
              "and request.");
  table.value("api.assertInitContainersRequestFractionalCpu", item.rules.init_cpu_fractional,
              "Whether init containers that request whole cores are refused. Set it to false if "
              "a cluster gives no cores of their own to such containers.");
  table.value("api.allowedPriorityClassNames", item.priority_classes,
              "The priority classes that jobs may name. Empty means all of "
              "scheduling.priorityClasses.");
  table.value("api.restrictedTolerationKeys", item.rules.restricted_toleration_keys,
              "Keys of taints that jobs may not tolerate. Name those by which you keep nodes for "
              "yourself.");
  table.value("api.defaultJobLimits", item.rules.default_requests,
              "What a container gets as request and limit of each resource for which it names "
              "neither.");
  table.endless("api.defaultActiveDeadline", item.rules.default_deadline,
                "How long a job may run that sets no deadline of its own, from 1s on. It is ended "
                "then.",
                at_least<milliseconds>(1s));
  table.value("api.defaultActiveDeadlineByResourceRequest", item.rules.default_deadline_by_resource,
              "The same for jobs that request a resource, by resource. Where several are named, "
              "the longest counts.");
  table.value("api.defaultJobTolerations", item.default_tolerations,
              "Tolerations that every job gets, besides its own.", tolerations());
  table.value("api.defaultJobTolerationsByPriorityClass", item.tolerations_by_class,
              "Further tolerations for jobs of a priority class, as [{name: CLASS, tolerations: "
              "[{key, operator, value, effect}]}].");
  table.value("api.defaultJobTolerationsByResourceRequest", item.tolerations_by_resource,
              "Further tolerations for jobs that request a resource, as [{name: RESOURCE, "
              "tolerations: [{key, operator, value, effect}]}].");
  describe_pod_policies(table, "api.podPolicies", item.pod_policies,
                        "What the pods of jobs may have; others are refused at submission.",
                        "Queues that no entry names have the level baseline, and with the preset "
                        "current privileged.");
  table.value("api.addGangIdLabel", item.rules.gang_id_label,
              "Whether the id of a job's gang is also written into a label of its pod.");
}

constexpr std::size_t view_name_bytes_max = 100;
constexpr std::size_t view_address_bytes_max = 8'000;
constexpr std::size_t views_max = 200;

bool has_control_characters(const std::string& text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// Names stand in the page's address.
complaint check_view_name(const std::string& name) {
  if (name.empty()) return "must not be empty";
  if (name.size() > view_name_bytes_max) return "must have at most 100 bytes";
  if (has_control_characters(name)) return "must not have control characters";
  return std::nullopt;
}

/// Nothing but a place within the page, since everybody is led there.
complaint check_view_address(const std::string& address) {
  if (!address.starts_with("#/")) return "must begin with #/, as behind the page's URL";
  if (address.size() > view_address_bytes_max) return "must have at most 8000 bytes";
  if (has_control_characters(address)) return "must not have control characters";
  return std::nullopt;
}

complaint check_views(const std::vector<saved_view>& views) {
  if (views.size() > views_max) return "must have at most 200 views";
  std::set<std::string> seen;
  for (const auto& view : views) {
    if (view.name.empty()) return "needs a name for each view";
    if (view.address.empty()) return "needs an address for the view '" + view.name + "'";
    if (!seen.insert(view.name).second) return "has '" + view.name + "' twice";
  }
  return std::nullopt;
}

std::vector<std::string> holders(const std::vector<named_tolerations>& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  return names;
}

/// What is said of resources names such as jobs may request.
void check_requests(const argosyd_settings& item, problem_list& problems) {
  const api_settings usual;
  const auto check_list = [&](const char* key, const auto& list, const auto& usual_list) {
    check_resources(item.scheduling, std::string{"api."} + key, names_of(list),
                    names_of(usual_list), problems);
  };
  const auto& api = item.api;
  check_list("minJobResources", api.rules.requests_min, usual.rules.requests_min);
  check_list("maxOversubscriptionByResourceRequest", api.rules.oversubscription_max,
             usual.rules.oversubscription_max);
  check_list("defaultJobLimits", api.rules.default_requests, usual.rules.default_requests);
  check_list("defaultActiveDeadlineByResourceRequest", api.rules.default_deadline_by_resource,
             usual.rules.default_deadline_by_resource);
  check_resources(item.scheduling, "api.defaultJobTolerationsByResourceRequest",
                  holders(api.tolerations_by_resource), {}, problems);
}

void check_classes(const argosyd_settings& item, problem_list& problems) {
  const auto& classes = item.scheduling.classes;
  const auto check_list = [&](const std::string& key, const std::vector<std::string>& names) {
    for (const auto& name : names)
      if (std::none_of(classes.begin(), classes.end(),
                       [&](const auto& entry) { return entry.name == name; }))
        problems.push_back(key + " names '" + name +
                           "', which is not in scheduling.priorityClasses");
  };
  const auto& allowed = item.api.priority_classes;
  check_list("api.allowedPriorityClassNames", allowed);
  check_list("api.defaultJobTolerationsByPriorityClass", holders(item.api.tolerations_by_class));
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(),
                                    item.scheduling.keys.default_class) == allowed.end())
    problems.push_back("api.allowedPriorityClassNames lacks '" +
                       item.scheduling.keys.default_class +
                       "', the class of scheduling.defaultPriorityClassName");
}

}  // namespace

void describe(field_table& table, named_tolerations& item) {
  table.value("name", item.name, "", not_empty());
  table.value("tolerations", item.tolerations, "", tolerations());
}

void describe(field_table& table, saved_view& item) {
  table.value("name", item.name, "", rule<std::string>{check_view_name});
  table.value("address", item.address, "", rule<std::string>{check_view_address});
}

void describe_api(field_table& table, argosyd_settings& item) {
  describe_limits(table, item);
  table.value("api.priorityFactorMin", item.queues.priority_factor_min,
              "The smallest priority factor that a queue may have, 0.000001 to 1.0. Armada takes "
              "none below 1.",
              between<double>(0.000001, 1));
  describe_jobs(table, item.api);
}

std::span<const std::string_view> enum_names(anonymous_role) {
  return role_names;
}

void describe_grpc(field_table& table, grpc_settings& item) {
  table.section("grpc",
                "The API over gRPC, for clients that do not speak NATS, such as those of Armada.");
  table.value("grpc.listen", item.listen,
              "The address at which gRPC is served as HOST:PORT, or off. Port 0 takes any free "
              "port, which the log names, and takes the same one after a restart as long as it is "
              "free. Without a certificate the connection is not encrypted, so keep it on a "
              "loopback address then, or behind a proxy with TLS.",
              listen_address());
  table.value("grpc.certificateFile", item.certificate,
              "The path of a file (PEM) with the certificate of the server and those between it "
              "and its authority. It is read again within a minute after it has changed.");
  table.value("grpc.keyFile", item.key,
              "The path of a file (PEM) with the private key of that certificate.");
  table.value("grpc.streamsPerConnectionMax", item.streams_max,
              "How many calls one connection may have under way at a time, from 1 to 1000000; a "
              "stream of events is one of them. Further calls wait at the client until others "
              "have ended. A connection is cheap, so that whoever watches more opens another.",
              between<std::uint32_t>(1, 1'000'000));
  table.value("grpc.anonymousRole", item.anonymous,
              "What callers may do who do not say who they are: none refuses them, viewer lets "
              "them read, submitter also submit and cancel, and operator do everything. Anybody "
              "who reaches the address may do it, in the name anonymous.");
}

void describe_rest(field_table& table, rest_settings& item) {
  table.section("rest", "The API over REST, at the address of health.listen.");
  table.value("rest.enabled", item.enabled,
              "Whether the API is served there under /v1/, with its description as /swagger.json. "
              "Callers are known as over gRPC. The connection is not encrypted, so keep it on a "
              "loopback address or behind a proxy with TLS.");
  table.value("rest.allowedOrigins", item.origins,
              "The origins whose pages may call from a browser, such as "
              "https://lookout.example.com. Requests of pages of other origins are refused.",
              rule<std::vector<std::string>>{check_origins});
  table.value("rest.ignoreUnknownFields", item.ignore_unknown_fields,
              "Whether fields of requests in JSON that are not known are passed over, as Armada "
              "does, and not refused.");
  table.value("rest.views", item.views,
              "Views of the web page that everybody finds there under a name, as [{name: Failures, "
              "address: \"#/jobs?where=state:failed\"}]. The address is what stands behind the "
              "page's URL. Whoever may change settings saves views on the page itself.",
              rule<std::vector<saved_view>>{check_views});
}

void check_api(const argosyd_settings& item, problem_list& problems) {
  check_requests(item, problems);
  check_classes(item, problems);
  if (item.grpc.certificate.empty() != item.grpc.key.empty())
    problems.emplace_back(
        "grpc.certificateFile and grpc.keyFile belong together: set both or none");
  if (item.api.rules.grace_min > item.api.rules.grace_max)
    problems.emplace_back(
        "api.minTerminationGracePeriod must not be longer than api.maxTerminationGracePeriod");
}

}  // namespace argosy::settings
