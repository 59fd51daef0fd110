// SPDX-License-Identifier: Apache-2.0
// Commands that change the queue itself, and submission.
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/ledger/queue/queue_version.hpp"

namespace argosy::ledger {

namespace {

template <class Reply>
decision<Reply> refuse(error err) {
  return {fail(std::move(err)), {}, {}};
}

template <class Reply>
decision<Reply> refuse(ec code, std::string detail) {
  return refuse<Reply>(error{code, std::move(detail)});
}

/// What follows from the end of one job should fit into one record of the log.
constexpr std::size_t dependents_max = 10'000;

std::string missing_queue(const std::string& name) {
  return "queue '" + name + "' does not exist; create it first";
}

std::string_view class_of(const model::job_header& header) {
  return header.shape ? std::string_view{header.shape->priority_class} : std::string_view{};
}

}  // namespace

decision<done> queue_core::set(const model::queue_settings& settings, write_mode mode,
                               std::int64_t now_ns, const std::string& expected) const {
  if (settings.name != name_)
    return refuse<done>(ec::invalid_argument, "settings of queue '" + settings.name +
                                                  "' were sent to queue '" + name_ + "'");
  if (!std::isfinite(settings.priority_factor) ||
      settings.priority_factor < config_.priority_factor_min)
    return refuse<done>(
        ec::invalid_argument,
        absl::StrCat("queue '", name_.str(), "': the priority factor must be at least ",
                     config_.priority_factor_min, " (api.priorityFactorMin), not ",
                     settings.priority_factor));
  for (const auto& policy : settings.retry_policies)
    if (!policies_->contains(policy))
      return refuse<done>(ec::invalid_argument, "queue '" + name_ + "': retry policy '" + policy +
                                                    "' does not exist; create it first");
  if (mode == write_mode::create && settings_)
    return refuse<done>(ec::already_exists, "queue '" + name_ + "' exists already");
  if ((mode == write_mode::update || !expected.empty()) && !settings_)
    return refuse<done>(ec::not_found, missing_queue(name_));
  if (!expected.empty() && version_of(*settings_) != expected)
    return refuse<done>(ec::conflict, "the settings of queue '" + name_ +
                                          "' have changed since they were read; read them again");
  if (settings_ && *settings_ == settings) return {done{}, {}, {}};
  return {done{}, {make_event(now_ns, model::queue_set{settings})}, {}};
}

decision<done> queue_core::drop_lost_policies(std::int64_t now_ns) const {
  if (!settings_) return {done{}, {}, {}};
  auto settings = *settings_;
  const auto lost = [this](const std::string& name) { return !policies_->contains(name); };
  if (std::erase_if(settings.retry_policies, lost) == 0) return {done{}, {}, {}};
  return {done{}, {make_event(now_ns, model::queue_set{std::move(settings)})}, {}};
}

decision<done> queue_core::cordon(bool on, std::int64_t now_ns) const {
  if (!settings_) return refuse<done>(ec::not_found, missing_queue(name_));
  if (settings_->cordoned == on) return {done{}, {}, {}};
  auto settings = *settings_;
  settings.cordoned = on;
  return {done{}, {make_event(now_ns, model::queue_set{std::move(settings)})}, {}};
}

decision<done> queue_core::erase(erase_mode mode, std::int64_t now_ns) const {
  if (!settings_) {
    if (mode == erase_mode::lenient) return {done{}, {}, {}};
    return refuse<done>(ec::not_found, "queue '" + name_ + "' does not exist");
  }
  if (!jobs_.empty()) {
    if (mode == erase_mode::lenient) return {done{}, {}, {}};
    const auto first = std::min_element(
        jobs_.begin(), jobs_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return refuse<done>(ec::conflict, "queue '" + name_ + "' has " + std::to_string(jobs_.size()) +
                                          " jobs that have not ended, such as " +
                                          to_string(first->first) +
                                          "; cancel them or wait for them first");
  }
  return {done{}, {make_event(now_ns, model::queue_deleted{})}, {}};
}

bool queue_core::is_being_emptied() const {
  return !jobs_.empty() && std::all_of(jobs_.begin(), jobs_.end(), [](const auto& item) {
    return item.second->record.stopping == model::stop_cause::cancel;
  });
}

/// One submission while it is being checked.
class queue_core::admission {
 public:
  admission(const queue_core& core, std::int64_t now_ns, const request_key& key)
      : core_(core), now_ns_(now_ns), key_(key) {}

  using job_list = std::vector<std::shared_ptr<const model::job_header>>;

  result<submit_reply> check(const job_list& jobs);
  decision<submit_reply> finish(submit_reply reply);

 private:
  struct gang_part {
    std::shared_ptr<const model::gang_info> info;
    std::string_view priority_class;
    std::vector<ulid> jobs;
    bool started = false;  ///< A live member of the gang has had a run.
  };

  /// The first answer to the request; nothing if it is a new one.
  [[nodiscard]] result<std::optional<submit_reply>> repeated() const;
  result<submit_reply> check_new(const job_list& jobs);
  result<std::optional<ulid>> known(const model::job_header& header, std::size_t place) const;
  result<void> join(const std::shared_ptr<const model::job_header>& header, std::size_t place);
  /// Checks for which jobs those of the request wait, when all are known.
  [[nodiscard]] result<void> check_waits(const job_list& jobs) const;
  [[nodiscard]] failure fail_item(ec code, std::size_t place, const std::string& what) const {
    return fail(code, "queue '" + core_.name_ + "', job " + std::to_string(place) + ": " + what);
  }

  const queue_core& core_;
  std::int64_t now_ns_;
  const request_key& key_;
  bool is_new_ = true;
  job_list fresh_;
  absl::flat_hash_set<ulid> ids_;
  absl::flat_hash_map<std::string_view, const model::job_header*> clients_;
  absl::btree_map<std::string_view, gang_part> joins_;
};

result<std::optional<ulid>> queue_core::admission::known(const model::job_header& header,
                                                         std::size_t place) const {
  if (header.client_id.empty()) return std::nullopt;
  const auto other_body = [&] {
    return fail_item(ec::conflict, place,
                     "client id '" + header.client_id +
                         "' was used with another content; use a new one for a new job");
  };
  if (const auto found = clients_.find(header.client_id); found != clients_.end()) {
    if (found->second->body_hash != header.body_hash) return other_body();
    return found->second->id;
  }
  const auto* found = core_.client_ids_.find(id_kind::job, header.client_id, now_ns_);
  if (found == nullptr) return std::nullopt;
  if (found->body_hash != header.body_hash) return other_body();
  return found->jobs.first;
}

result<std::optional<submit_reply>> queue_core::admission::repeated() const {
  if (key_.text.empty()) return std::nullopt;
  const auto* found = core_.client_ids_.find(id_kind::request, key_.text, now_ns_);
  if (found == nullptr) return std::nullopt;
  if (found->body_hash != key_.content_hash)
    return fail(ec::conflict, "queue '" + core_.name_ + "': idempotency key '" + key_.text +
                                  "' was used for another submission, of other jobs or by another "
                                  "user; use a new one");
  submit_reply reply;
  for (const auto& id : found->all_jobs()) reply.jobs.push_back({id, true});
  return reply;
}

result<void> queue_core::admission::join(const std::shared_ptr<const model::job_header>& header,
                                         std::size_t place) {
  const auto* info = gang_info_of(*header);
  if (info == nullptr) return {};
  const std::string name = "gang '" + info->id + "'";
  if (info->cardinality > core_.config_.gang_cardinality_max)
    return fail_item(ec::too_large, place,
                     name + " has cardinality " + std::to_string(info->cardinality) + "; at most " +
                         std::to_string(core_.config_.gang_cardinality_max) + " are allowed");
  if (info->id.empty() || info->minimum_cardinality < 1 ||
      info->minimum_cardinality > info->cardinality)
    return fail_item(ec::invalid_argument, place,
                     name + ": the minimum cardinality must be between 1 and the cardinality");
  auto& part = joins_[info->id];
  const auto live = core_.gangs_.find(info->id);
  std::size_t members = 1 + part.jobs.size();
  if (!part.info) {
    part.info = live != core_.gangs_.end() ? live->second.info : header->gang;
    part.priority_class =
        live != core_.gangs_.end() ? live->second.priority_class : class_of(*header);
    if (live != core_.gangs_.end())
      part.started = std::any_of(
          live->second.members.begin(), live->second.members.end(),
          [this](const ulid& member) { return !core_.jobs_.at(member)->record.runs.empty(); });
  }
  if (live != core_.gangs_.end()) {
    if (part.started)
      return fail_item(ec::invalid_argument, place,
                       name + " has started already; use a new gang id for new members");
    members += live->second.members.size();
  }
  if (*part.info != *info || part.priority_class != class_of(*header))
    return fail_item(ec::invalid_argument, place,
                     name +
                         ": its members must agree in cardinality, minimum cardinality, "
                         "uniformity label and priority class");
  if (members > info->cardinality)
    return fail_item(ec::invalid_argument, place,
                     name + " would have " + std::to_string(members) +
                         " members, more than its cardinality " +
                         std::to_string(info->cardinality));
  part.jobs.push_back(header->id);
  return {};
}

result<submit_reply> queue_core::admission::check(const job_list& jobs) {
  if (!core_.settings_)
    return fail(ec::not_found, "queue '" + core_.name_ + "' does not exist; create it first");
  auto first = repeated();
  if (!first) return fail(std::move(first.error()));
  is_new_ = !*first;
  return is_new_ ? check_new(jobs) : std::move(**first);
}

/// Jobs of the request stand in it before those that wait for them, so that there is no circle.
result<void> queue_core::admission::check_waits(const job_list& jobs) const {
  absl::flat_hash_map<ulid, std::size_t> waiting;
  absl::flat_hash_set<ulid> before;
  for (std::size_t place = 0; place < jobs.size(); ++place) {
    const auto& header = *jobs[place];
    const auto* own = gang_info_of(header);
    for (const auto& on : header.after ? *header.after : std::vector<model::job_dependency>{}) {
      const auto* other = core_.find(on.job);
      if (other == nullptr && !before.contains(on.job))
        return fail_item(ec::invalid_argument, place,
                         "job " + to_string(on.job) +
                             ", for which it is to wait, has ended otherwise, is of another queue, "
                             "is not there, or does not stand before it in the request");
      const auto* gang = other == nullptr ? nullptr : gang_info_of(*other->header);
      if (own != nullptr && gang != nullptr && own->id == gang->id)
        return fail_item(
            ec::invalid_argument, place,
            "job " + to_string(on.job) + ", for which it is to wait, is a member of its own gang");
      const auto known = core_.dependents_.find(on.job);
      auto& count = waiting[on.job];
      if (count == 0 && known != core_.dependents_.end()) count = known->second.size();
      if (++count > dependents_max)
        return fail_item(ec::too_large, place,
                         "for job " + to_string(on.job) + " " + std::to_string(dependents_max) +
                             " jobs wait already, and no more may");
    }
    before.insert(header.id);
  }
  return {};
}

result<submit_reply> queue_core::admission::check_new(const job_list& jobs) {
  submit_reply reply;
  reply.jobs.reserve(jobs.size());
  fresh_.reserve(jobs.size());
  for (std::size_t place = 0; place < jobs.size(); ++place) {
    const auto& header = jobs[place];
    if (!header || header->queue != core_.name_ || header->id.is_nil())
      return fail_item(ec::invalid_argument, place, "it is not a job of this queue");
    auto first = known(*header, place);
    if (!first) return fail(std::move(first.error()));
    if (*first) {
      reply.jobs.push_back({**first, true});
      continue;
    }
    if (core_.jobs_.contains(header->id) || !ids_.insert(header->id).second)
      return fail_item(ec::conflict, place, "job id " + to_string(header->id) + " is in use");
    if (auto ok = join(header, place); !ok) return fail(std::move(ok.error()));
    if (!header->client_id.empty()) clients_.emplace(header->client_id, header.get());
    fresh_.push_back(header);
    reply.jobs.push_back({header->id, false});
  }
  if (auto ok = check_waits(jobs); !ok) return fail(std::move(ok.error()));
  if (core_.jobs_.size() + fresh_.size() > core_.config_.live_jobs_max)
    return fail(ec::overloaded, "queue '" + core_.name_ + "' has " +
                                    std::to_string(core_.jobs_.size()) + " live jobs; at most " +
                                    std::to_string(core_.config_.live_jobs_max) +
                                    " are allowed, try again when some have ended");
  return reply;
}

decision<submit_reply> queue_core::admission::finish(submit_reply reply) {
  decision<submit_reply> out{std::move(reply), {}, {}};
  out.events.reserve(fresh_.size() + 1);
  if (is_new_ && !key_.text.empty() && !out.reply->jobs.empty()) {
    std::vector<ulid> ids;
    ids.reserve(out.reply->jobs.size());
    for (const auto& job : out.reply->jobs) ids.push_back(job.id);
    // A record of the log is not divided before the event of a job, so that no part of the request
    // can be in the log without its key.
    out.events.push_back(core_.make_event(
        now_ns_, model::submission_accepted{key_.text, key_.content_hash, ranges_of(ids)}));
  }
  for (auto& header : fresh_)
    out.events.push_back(core_.make_event(now_ns_, model::job_submitted{std::move(header)}));
  for (auto& [id, part] : joins_)
    out.effects.emplace_back(gang_changed{part.info, std::move(part.jobs), {}, {}, {}, false});
  return out;
}

bool queue_core::knows(const request_key& key, std::int64_t now_ns) const {
  return settings_ && !key.text.empty() &&
         client_ids_.find(id_kind::request, key.text, now_ns) != nullptr;
}

decision<submit_reply> queue_core::submit(
    const std::vector<std::shared_ptr<const model::job_header>>& jobs, std::int64_t now_ns,
    const request_key& key) const {
  admission request{*this, now_ns, key};
  auto reply = request.check(jobs);
  if (!reply) return refuse<submit_reply>(std::move(reply.error()));
  return request.finish(std::move(*reply));
}

}  // namespace argosy::ledger
