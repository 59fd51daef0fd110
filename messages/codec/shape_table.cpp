// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/shape_table.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <mutex>

#include "messages/codec/text_hash.hpp"
#include "messages/codec/wire.hpp"

namespace argosy::codec {

namespace {

using shape_ptr = std::shared_ptr<const model::job_shape>;

/// The table looks for unused shapes when it has grown to this size, or to twice the number that
/// was in use the last time.
constexpr std::size_t sweep_size_min = 4096;

std::string encode_shape(const model::job_shape& shape) {
  log::v1::Shape out;
  to_wire(shape.requests, *out.mutable_requests());
  to_wire(shape.node_selector, *out.mutable_node_selector());
  to_wire(shape.affinity, *out.mutable_affinity());
  for (const auto& toleration : shape.tolerations) {
    auto& entry = *out.add_tolerations();
    entry.set_key(toleration.key);
    entry.set_exists(toleration.exists);
    entry.set_value(toleration.value);
    entry.set_effect(toleration.effect);
  }
  out.set_priority_class(shape.priority_class);
  out.set_process_obstacle(shape.process_obstacle);
  for (const auto& each : shape.volumes) {
    auto& entry = *out.add_volumes();
    entry.set_cluster(each.cluster);
    entry.set_why(each.why);
    to_wire(each.nodes, *entry.mutable_nodes());
  }
  for (const auto& each : shape.attached) out.add_attached(each);
  return encode_sorted(out);
}

result<model::job_shape> decode_shape(std::string_view bytes) {
  log::v1::Shape in;
  if (auto ok = decode(bytes, in, "scheduling shape"); !ok) return fail(std::move(ok.error()));
  model::job_shape shape;
  auto requests = from_wire(in.requests());
  if (!requests) return fail(std::move(requests.error()));
  shape.requests = std::move(*requests);
  shape.node_selector = from_wire(in.node_selector());
  auto affinity = from_wire(in.affinity());
  if (!affinity) return fail(std::move(affinity.error()));
  shape.affinity = std::move(*affinity);
  for (const auto& entry : in.tolerations())
    shape.tolerations.push_back({entry.key(), entry.exists(), entry.value(), entry.effect()});
  shape.priority_class = in.priority_class();
  shape.process_obstacle = in.process_obstacle();
  for (const auto& entry : in.volumes()) {
    auto nodes = from_wire(entry.nodes());
    if (!nodes) return fail(std::move(nodes.error()));
    shape.volumes.push_back({model::cluster_name{entry.cluster()}, entry.why(), std::move(*nodes)});
  }
  shape.attached.assign(in.attached().begin(), in.attached().end());
  return shape;
}

}  // namespace

struct shape_table::impl {
  mutable std::mutex mutex;
  text_map<std::string, shape_ptr> by_bytes;
  absl::flat_hash_map<const model::job_shape*, std::string> bytes_of;
  std::size_t sweep_size = sweep_size_min;

  shape_ptr add(std::string bytes, model::job_shape shape) {
    if (by_bytes.size() >= sweep_size) sweep();
    auto object = std::make_shared<const model::job_shape>(std::move(shape));
    bytes_of.emplace(object.get(), bytes);
    by_bytes.emplace(std::move(bytes), object);
    return object;
  }

  void sweep() {
    for (auto at = by_bytes.begin(); at != by_bytes.end();) {
      const auto here = at++;
      if (here->second.use_count() > 1) continue;
      bytes_of.erase(here->second.get());
      by_bytes.erase(here);
    }
    sweep_size = std::max(sweep_size_min, 2 * by_bytes.size());
  }
};

shape_table::shape_table() : impl_(std::make_unique<impl>()) {}
shape_table::~shape_table() = default;

shape_ptr shape_table::intern(const model::job_shape& shape) {
  auto bytes = encode_shape(shape);
  const std::lock_guard lock{impl_->mutex};
  if (const auto known = impl_->by_bytes.find(bytes); known != impl_->by_bytes.end())
    return known->second;
  return impl_->add(std::move(bytes), shape);
}

result<shape_ptr> shape_table::intern_encoded(std::string_view bytes) {
  {
    const std::lock_guard lock{impl_->mutex};
    if (const auto known = impl_->by_bytes.find(bytes); known != impl_->by_bytes.end())
      return known->second;
  }
  auto shape = decode_shape(bytes);
  if (!shape) return fail(std::move(shape.error()));
  // The shape is encoded again, since another writer may have ordered the same shape differently.
  return intern(*shape);
}

std::string shape_table::encoded(const model::job_shape& shape) const {
  {
    const std::lock_guard lock{impl_->mutex};
    if (const auto known = impl_->bytes_of.find(&shape); known != impl_->bytes_of.end())
      return known->second;
  }
  return encode_shape(shape);
}

std::size_t shape_table::size() const {
  const std::lock_guard lock{impl_->mutex};
  return impl_->by_bytes.size();
}

shape_table& process_shapes() {
  // The table is never destroyed, since detached actors may decode while the process ends.
  static auto& table = *new shape_table;
  return table;
}

}  // namespace argosy::codec
