// SPDX-License-Identifier: Apache-2.0
#include "messages/view/progress.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/record.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {

namespace {

namespace records = argosy::store::v1;

constexpr std::string_view position_key = "position";
constexpr std::string_view clock_key = "clock";
constexpr std::string_view copy_key = "copy";
constexpr std::string_view plane_key = "plane";
constexpr std::string_view lineage_key = "lineage";

}  // namespace

result<void> write_position(store::write_txn& txn, const view_position& position) {
  records::Position out;
  out.set_format(record_format);
  out.set_applied_sequence(position.position.value);
  out.set_generation(position.generation.value);
  out.set_epoch(position.epoch.value);
  out.set_batch_number(position.batch_number);
  out.set_hash(position.hash);
  out.set_stream_created_ns(position.stream_created_ns);
  out.set_holder(position.holder);
  out.set_control_plane(position.control_plane);
  out.set_key_print(position.key_print);
  out.set_generation_base(position.generation_base.value);
  out.set_sealed(position.sealed);
  out.set_joins_at(position.joins_at.value);
  out.set_events_gone(position.events_gone.value);
  for (const auto& plane : position.planes) codec::to_wire(plane, *out.add_planes());
  for (const auto& set : position.planes_before) {
    auto& before = *out.add_planes_before();
    for (const auto& plane : set) codec::to_wire(plane, *before.add_planes());
  }
  return txn.put(store::table::meta, position_key, codec::encode_sorted(out));
}

result<std::optional<view_position>> read_position(store::read_txn& txn) {
  auto value = txn.get(store::table::meta, position_key);
  if (!value) return fail(std::move(value.error()));
  if (!*value) return std::nullopt;
  records::Position in;
  if (auto ok = read_record(**value, in, "record of the view's position"); !ok)
    return fail(std::move(ok.error()));
  view_position position;
  position.position = {in.applied_sequence()};
  position.generation = {in.generation()};
  position.epoch = {in.epoch()};
  position.batch_number = in.batch_number();
  position.hash = in.hash();
  position.stream_created_ns = in.stream_created_ns();
  position.holder = in.holder();
  position.control_plane = in.control_plane();
  position.key_print = in.key_print();
  position.generation_base = {in.generation_base()};
  position.sealed = in.sealed();
  position.joins_at = {in.joins_at()};
  position.events_gone = {in.events_gone()};
  for (const auto& plane : in.planes()) position.planes.push_back(codec::from_wire(plane));
  for (const auto& before : in.planes_before()) {
    auto& set = position.planes_before.emplace_back();
    for (const auto& plane : before.planes()) set.push_back(codec::from_wire(plane));
  }
  return position;
}

result<void> write_clock(store::write_txn& txn, const clock_mark& mark) {
  records::Clock out;
  out.set_format(record_format);
  out.set_time_ns(to_nanos(mark.log));
  out.set_wall_ns(to_nanos(mark.wall));
  out.set_boot_ns(mark.boot.count());
  out.set_boot_id(mark.boot_id);
  return txn.put(store::table::meta, clock_key, codec::encode_sorted(out));
}

result<std::optional<clock_mark>> read_clock(store::read_txn& txn) {
  auto value = txn.get(store::table::meta, clock_key);
  if (!value) return fail(std::move(value.error()));
  if (!*value) return std::nullopt;
  records::Clock in;
  if (auto ok = read_record(**value, in, "record of the log clock"); !ok)
    return fail(std::move(ok.error()));
  return clock_mark{from_nanos(in.time_ns()), from_nanos(in.wall_ns()), boot_time{in.boot_ns()},
                    in.boot_id()};
}

result<void> write_copy_mark(store::write_txn& txn, const copy_mark& mark) {
  records::CopyMark out;
  out.set_format(record_format);
  out.set_time_ns(mark.time_ns);
  return txn.put(store::table::meta, copy_key, codec::encode_sorted(out));
}

result<std::optional<copy_mark>> read_copy_mark(store::read_txn& txn) {
  auto value = txn.get(store::table::meta, copy_key);
  if (!value) return fail(std::move(value.error()));
  if (!*value) return std::nullopt;
  records::CopyMark in;
  if (auto ok = read_record(**value, in, "mark of a copied store"); !ok)
    return fail(std::move(ok.error()));
  return copy_mark{in.time_ns()};
}

result<std::optional<copy_mark>> read_copy_mark(store::database& database) {
  auto txn = database.begin_read();
  if (!txn) return fail(txn.error());
  return read_copy_mark(**txn);
}

result<void> erase_copy_mark(store::database& database) {
  auto txn = database.begin_write();
  if (!txn) return fail(txn.error());
  if (auto gone = (*txn)->erase(store::table::meta, copy_key); !gone) return fail(gone.error());
  return (*txn)->commit();
}

result<void> write_plane_mark(store::database& database, const std::string& mark) {
  auto txn = database.begin_write();
  if (!txn) return fail(txn.error());
  records::PlaneMark out;
  out.set_format(record_format);
  out.set_mark(mark);
  auto put = (*txn)->put(store::table::meta, plane_key, codec::encode_sorted(out));
  return put ? (*txn)->commit() : put;
}

result<std::string> read_plane_mark(store::database& database) {
  auto txn = database.begin_read();
  if (!txn) return fail(txn.error());
  auto value = (*txn)->get(store::table::meta, plane_key);
  if (!value) return fail(std::move(value.error()));
  if (!*value) return std::string{};
  records::PlaneMark in;
  if (auto ok = read_record(**value, in, "mark of a plane"); !ok)
    return fail(std::move(ok.error()));
  return in.mark();
}

result<void> add_claim(store::write_txn& txn, const model::claim_begin& claim) {
  auto known = read_lineage(txn);
  if (!known) return fail(std::move(known.error()));
  known->add(claim);
  records::Lineage out;
  out.set_format(record_format);
  for (const auto& each : known->claims()) {
    auto& one = *out.add_claims();
    one.set_from(each.from.value);
    one.set_hash(each.claim);
    one.set_joins(each.joins);
  }
  return txn.put(store::table::meta, lineage_key, codec::encode_sorted(out));
}

result<model::lineage> read_lineage(store::read_txn& txn) {
  auto value = txn.get(store::table::meta, lineage_key);
  if (!value) return fail(std::move(value.error()));
  if (!*value) return model::lineage{};
  records::Lineage in;
  if (auto ok = read_record(**value, in, "record of the claims"); !ok)
    return fail(std::move(ok.error()));
  std::vector<model::claim_begin> claims;
  for (const auto& each : in.claims()) claims.push_back({{each.from()}, each.hash(), each.joins()});
  return model::lineage{std::move(claims)};
}

result<void> write_tail(store::write_txn& txn, const eventlog::record& record) {
  records::TailEntry out;
  out.set_format(record_format);
  out.set_message_id(record.msg_id);
  out.set_time_ns(record.time_ns);
  out.set_batch(record.data);
  return txn.put(store::table::tail, store::number_key(record.position.value),
                 codec::encode_sorted(out));
}

result<eventlog::record> decode_tail(const store::entry& entry) {
  const auto position = store::key_reader{entry.key}.number();
  if (!position) return fail(ec::corrupt, "a key of the tail is not a number");
  records::TailEntry in;
  if (auto ok = read_record(entry.value, in, "record of the tail"); !ok)
    return fail(std::move(ok.error()));
  return eventlog::record{
      {*position}, in.time_ns(), in.message_id(), std::move(*in.mutable_batch())};
}

}  // namespace argosy::view
