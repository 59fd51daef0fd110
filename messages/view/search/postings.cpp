// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/postings.hpp"

#include "messages/view/job_walk.hpp"
#include "messages/view/record.hpp"
#include "messages/view/search/conditions.hpp"
#include "messages/view/search/job_facts.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using store::table;

/// The first byte of a key.
enum class kind : char {
  ended = 1,
  annotation = 2,
  label = 3,
  unkeyed_tags = 4,
  live = 5,
  owner = 6,
  unkeyed_owner = 7,
};

/// How many jobs are posted between two looks into their tables.
constexpr std::size_t piece_max = 10'000;

std::string with_id(std::string prefix, const ulid& job) {
  return prefix.append(job_key(job));
}

result<void> put_all(store::write_txn& txn, const std::vector<std::string>& keys) {
  for (const auto& key : keys)
    if (auto put = txn.put(table::job_postings, key, no_value); !put) return put;
  return {};
}

result<void> erase(store::write_txn& txn, std::string_view key) {
  if (auto gone = txn.erase(table::job_postings, key); !gone) return fail(gone.error());
  return {};
}

/// Adds the postings of some jobs behind `from`, and sets it to the key to go on from; empty at the
/// end of the table.
result<std::vector<std::string>> postings_of_piece(store::read_txn& txn, table in,
                                                   std::string& from) {
  std::vector<std::string> keys;
  std::size_t jobs = 0;
  result<void> outcome;
  std::string next;
  auto scanned = store::scan(
      txn, in, {},
      [&](const store::entry& entry) {
        if (jobs++ == piece_max) {
          next = entry.key;
          return false;
        }
        const auto id = id_of(entry.key);
        const auto job = facts_of(id, entry.value);
        const auto spec = txn.get(table::specs, entry.key);
        if (!job || !spec) {
          outcome = fail(job ? spec.error() : job.error());
          return false;
        }
        for (auto& key : lasting_postings(id, job->owner, *spec)) keys.push_back(std::move(key));
        keys.push_back(state_posting(id, job->queue, job->state));
        return true;
      },
      from);
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  from = std::move(next);
  return keys;
}

}  // namespace

std::string live_prefix(std::string_view queue) {
  return std::string(1, static_cast<char>(kind::live)).append(queue).append(1, '\0');
}

std::string ended_prefix(model::job_state state, std::string_view queue) {
  std::string out(1, static_cast<char>(kind::ended));
  out.append(1, static_cast<char>(state)).append(queue).append(1, '\0');
  return out;
}

std::string tag_prefix(model::job_field field, std::string_view name, std::string_view value) {
  const auto which = field == model::job_field::label ? kind::label : kind::annotation;
  return std::string(1, static_cast<char>(which)) + event_prefix(name, value);
}

std::string unkeyed_tags_prefix() {
  return std::string(1, static_cast<char>(kind::unkeyed_tags));
}

std::string owner_prefix(std::string_view owner) {
  if (owner.size() > posted_owner_max || owner.find('\0') != std::string_view::npos)
    return unkeyed_owner_prefix();
  return std::string(1, static_cast<char>(kind::owner)).append(owner).append(1, '\0');
}

std::string unkeyed_owner_prefix() {
  return std::string(1, static_cast<char>(kind::unkeyed_owner));
}

std::vector<std::string> lasting_postings(const ulid& job, std::string_view owner,
                                          std::optional<std::string_view> spec) {
  std::vector<std::string> out{with_id(owner_prefix(owner), job)};
  if (!spec) return out;
  const auto tags = tags_of(*spec);
  // What does not decode is looked at again by whoever searches, who then says so.
  if (!tags || tags->annotations.size() + tags->labels.size() > posted_tags_max) {
    out.push_back(with_id(unkeyed_tags_prefix(), job));
    return out;
  }
  for (const auto& [name, value] : tags->annotations)
    out.push_back(with_id(tag_prefix(model::job_field::annotation, name, value), job));
  for (const auto& [name, value] : tags->labels)
    out.push_back(with_id(tag_prefix(model::job_field::label, name, value), job));
  return out;
}

std::string state_posting(const ulid& job, std::string_view queue, model::job_state state) {
  return with_id(model::is_terminal(state) ? ended_prefix(state, queue) : live_prefix(queue), job);
}

result<void> post_job(store::write_txn& txn, const model::job_record& now,
                      std::optional<model::job_state> before) {
  const auto& header = *now.header;
  if (!before) {
    const auto spec = header.spec ? std::optional<std::string_view>{*header.spec} : std::nullopt;
    const auto keys = lasting_postings(header.id, header.owner, spec);
    if (auto put = put_all(txn, keys); !put) return put;
  }
  if (before == now.state || (before && !model::is_terminal(now.state))) return {};
  if (before)
    if (auto gone = erase(txn, state_posting(header.id, header.queue, *before)); !gone) return gone;
  return put_all(txn, {state_posting(header.id, header.queue, now.state)});
}

result<void> erase_postings(store::write_txn& txn, const model::job_record& expired) {
  const auto& header = *expired.header;
  const auto spec = txn.get(table::specs, job_key(header.id));
  if (!spec) return fail(spec.error());
  auto keys = lasting_postings(header.id, header.owner, *spec);
  keys.push_back(state_posting(header.id, header.queue, expired.state));
  for (const auto& key : keys)
    if (auto gone = erase(txn, key); !gone) return gone;
  return {};
}

result<void> post_all_jobs(store::write_txn& txn) {
  for (const auto in : {table::jobs_live, table::jobs_done}) {
    std::string from;
    do {
      const auto keys = postings_of_piece(txn, in, from);
      if (!keys) return fail(keys.error());
      if (auto put = put_all(txn, *keys); !put) return put;
    } while (!from.empty());
  }
  return {};
}

}  // namespace argosy::view
