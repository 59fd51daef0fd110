// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/cuts.hpp"

#include "actors/caf_error.hpp"

namespace argosy::actors {

std::size_t cuts::ask(model::log_position at) {
  const auto asked = dirty_queues_.size() + dirty_nodes_.size();
  ask<native::queue_delta_ptr>(dirty_queues_, at);
  ask<native::node_delta_ptr>(dirty_nodes_, at);
  return asked;
}

template <class Delta, class Source>
void cuts::ask(std::set<Source>& dirty, model::log_position at) {
  for (const auto& source : std::exchange(dirty, {}))
    self_->request(source, timeout_, atom::cut_v, at)
        .then([this, source](const Delta& delta) { arrived(delta, source); },
              [this, source, &dirty](const caf::error& err) { failed(dirty, source, err); });
}

void cuts::arrived(const native::queue_delta_ptr& delta, const queue_actor& from) {
  if (delta->exists)
    queues_[delta->queue] = from;
  else
    queues_.erase(delta->queue);  // It has no jobs of which a plan could say something.
  to_.take_queue(*delta);
  self_->send(from, atom::cut_v, atom::ok_v);
  to_.answered(true);
}

void cuts::arrived(const native::node_delta_ptr& delta, const node_actor& from) {
  const auto id = model::node_id(delta->cluster, delta->info.name);
  if (delta->present)
    nodes_[id] = from;
  else
    nodes_.erase(id);
  to_.take_node(*delta);
  self_->send(from, atom::cut_v, atom::ok_v);
  to_.answered(true);
}

template <class Source>
void cuts::failed(std::set<Source>& dirty, const Source& source, const caf::error& err) {
  const auto why = from_caf(err);
  logger_.warning("a cut was not answered", logging::kv("error", to_string(why)));
  // A late answer is dropped, but what it held comes with the next one.
  if (why.code == ec::timeout) dirty.insert(source);
  to_.answered(false);
}

const queue_actor* cuts::find_queue(const std::string& queue) const {
  const auto found = queues_.find(queue);
  return found == queues_.end() ? nullptr : &found->second;
}

const node_actor* cuts::find_node(const std::string& id) const {
  const auto found = nodes_.find(id);
  return found == nodes_.end() ? nullptr : &found->second;
}

}  // namespace argosy::actors
