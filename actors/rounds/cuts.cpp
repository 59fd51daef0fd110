// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/cuts.hpp"

#include <algorithm>

#include "actors/caf_error.hpp"

namespace argosy::actors {

namespace {

std::string key_of(const node_actor& node) {
  return std::to_string(node.id());
}

}  // namespace

void cuts::changed(const model::queue_name& queue, const queue_actor& source) {
  queues_[queue] = source;
  asked_queues_.changed(queue);
}

void cuts::changed(const node_actor& source) {
  const auto key = key_of(source);
  node_actors_[key] = source;
  asked_nodes_.changed(key);
}

std::size_t cuts::ask(model::log_position at, boot_time now) {
  for (const auto& take : std::exchange(late_, {})) take();
  for (const auto& queue : asked_queues_.ask(now))
    request<native::queue_delta_ptr>(queues_.at(model::queue_name{queue}), queue, at);
  for (const auto& key : asked_nodes_.ask(now))
    request<native::node_delta_ptr>(node_actors_.at(key), key, at);
  return asked_queues_.awaited() + asked_nodes_.awaited();
}

template <class Delta, class Source>
void cuts::request(const Source& source, const std::string& key, model::log_position at) {
  self_->request(source, timeout_, atom::cut_v, at)
      .then([this, source](const Delta& delta) { arrived(delta, source); },
            [this, source, key](const caf::error& err) { failed(source, key, err); });
}

void cuts::finish(bool awaited, bool came) {
  if (awaited)
    to_.answered(came);
  else
    to_.answered_late();
}

/// If the answer is late, the next ask() folds it, as a round may read the snapshot now.
template <class Source>
void cuts::take(const Source& from, bool awaited, std::function<void()> fold) {
  if (awaited)
    fold();
  else
    late_.push_back(std::move(fold));
  self_->send(from, atom::cut_v, atom::ok_v);
  finish(awaited, true);
}

void cuts::arrived(const native::queue_delta_ptr& delta, const queue_actor& from) {
  const auto& queue = delta->queue;
  const bool awaited = asked_queues_.told(queue);
  parts_.erase(queue);
  // Without jobs a plan cannot say anything of it.
  if (!delta->exists && !asked_queues_.knows(queue)) queues_.erase(queue);
  take(from, awaited, [this, delta] { to_.take_queue(delta); });
}

void cuts::arrived(const native::node_delta_ptr& delta, const node_actor& from) {
  const auto key = key_of(from);
  const auto id = model::node_id(delta->cluster, delta->info.name);
  const bool awaited = asked_nodes_.told(key);
  if (!asked_nodes_.knows(key)) node_actors_.erase(key);
  if (delta->present) {
    nodes_[id] = from;
    node_ids_[key] = id;
  } else {
    nodes_.erase(id);
    node_ids_.erase(key);
  }
  take(from, awaited, [this, delta] { to_.take_node(delta); });
}

void cuts::failed(const queue_actor& source, const std::string& key, const caf::error& err) {
  const auto why = from_caf(err);
  logger_.warning("a queue did not say what changed", logging::kv("queue", key),
                  logging::kv("error", to_string(why)));
  // A late answer is dropped, but what it held comes with the next one.
  const bool whole = is_whole();
  const bool awaited = asked_queues_.lost(key, why.code == ec::timeout);
  const model::queue_name queue{key};
  if (queues_[queue] == source && !asked_queues_.knows(key)) queues_.erase(queue);
  if (awaited && whole) leave_queue(queue);
  finish(awaited, whole);
}

void cuts::failed(const node_actor&, const std::string& key, const caf::error& err) {
  const auto why = from_caf(err);
  logger_.warning("a node did not say what changed", logging::kv("error", to_string(why)));
  const bool awaited = asked_nodes_.lost(key, why.code == ec::timeout);
  if (awaited) leave_node(key);
  if (!asked_nodes_.knows(key)) {
    node_actors_.erase(key);
    node_ids_.erase(key);
  }
  finish(awaited, true);
}

std::size_t cuts::stop_waiting() {
  const auto queues = asked_queues_.stop_waiting();
  const auto nodes = asked_nodes_.stop_waiting();
  for (const auto& queue : queues) leave_queue(model::queue_name{queue});
  for (const auto& key : nodes) leave_node(key);
  return queues.size() + nodes.size();
}

void cuts::leave_queue(const model::queue_name& queue) {
  logger_.warning("a queue does not answer: rounds go on without it", logging::kv("queue", queue));
  const auto part = parts_.find(queue);
  to_.leave_queue(queue, part == parts_.end() ? nullptr : part->second);
}

void cuts::leave_node(const std::string& key) {
  const auto id = node_ids_.find(key);
  if (id == node_ids_.end()) return;  // No round knows it yet.
  logger_.warning("a node does not answer: it takes no new jobs", logging::kv("node", id->second));
  to_.leave_node(id->second);
}

bool cuts::give(const model::queue_name& queue, const native::place_ptr& part, boot_time now) {
  const auto found = queues_.find(queue);
  if (found == queues_.end() || asked_queues_.is_silent(queue)) return false;
  asked_queues_.given(queue, now);
  parts_[queue] = part;
  self_->send(found->second, atom::place_v, part);
  return true;
}

std::vector<cuts::silence> cuts::silent() const {
  std::vector<silence> out;
  for (const auto& [queue, since] : asked_queues_.silent())
    out.push_back({"queue " + queue, since});
  for (const auto& [key, since] : asked_nodes_.silent()) {
    const auto id = node_ids_.find(key);
    out.push_back({"node " + (id == node_ids_.end() ? "that is new" : id->second), since});
  }
  return out;
}

std::optional<boot_time> cuts::longest_silence() const {
  std::optional<boot_time> out;
  for (const auto* table : {&asked_queues_, &asked_nodes_})
    for (const auto& [source, since] : table->silent()) out = std::min(since, out.value_or(since));
  return out;
}

const boot_time* cuts::silent_since(const model::queue_name& queue) const {
  const auto found = asked_queues_.silent().find(queue);
  return found == asked_queues_.silent().end() ? nullptr : &found->second;
}

const queue_actor* cuts::find_queue(const model::queue_name& queue) const {
  const auto found = queues_.find(queue);
  return found == queues_.end() ? nullptr : &found->second;
}

const node_actor* cuts::find_node(const model::node_path& id) const {
  const auto found = nodes_.find(id);
  return found == nodes_.end() ? nullptr : &found->second;
}

}  // namespace argosy::actors
