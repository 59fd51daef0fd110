// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/lead_codec.hpp"

#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/lead.pb.h"

namespace argosy::codec {

namespace {

namespace wire = argosy::lead::v1;

constexpr std::uint32_t lead_format = 1;
/// Longer texts of others are cut.
constexpr std::size_t text_max = 1'000;

std::string short_text(const std::string& text) {
  return std::string{cut_to_size(text, text_max)};
}

void write_standing(const ledger::leader_standing& standing, wire::Standing& out) {
  out.set_format(lead_format);
  out.set_holder(standing.holder);
  out.set_control_plane(standing.control_plane);
  out.set_epoch(standing.epoch.value);
  out.set_generation(standing.generation.value);
  out.set_position(standing.position.value);
  out.set_server_id(standing.server_id);
  out.set_key_print(standing.key_print);
}

ledger::leader_standing read_standing(const wire::Standing& in) {
  return {short_text(in.holder()), short_text(in.control_plane()), {in.epoch()},  {in.generation()},
          {in.position()},         short_text(in.server_id()),     in.key_print()};
}

}  // namespace

std::string encode(const waiting_word& word) {
  wire::Question out;
  out.set_format(lead_format);
  out.set_plane(word.plane);
  out.set_holder(word.holder);
  out.set_problem(short_text(word.problem));
  if (word.applied) out.set_applied(word.applied->value);
  if (word.snapshot) {
    out.mutable_snapshot()->set_name(word.snapshot->name);
    out.mutable_snapshot()->set_offset(word.snapshot->offset);
  }
  return out.SerializeAsString();
}

waiting_word decode_waiting_word(std::string_view bytes) {
  wire::Question in;
  if (!decode(bytes, in, "question who leads") || in.format() != lead_format) return {};
  waiting_word out{short_text(in.plane()), short_text(in.holder()), short_text(in.problem())};
  if (in.has_applied()) out.applied = model::log_position{in.applied()};
  if (in.has_snapshot()) out.snapshot = {short_text(in.snapshot().name()), in.snapshot().offset()};
  return out;
}

std::string encode(const ledger::leader_standing& standing) {
  wire::Standing out;
  write_standing(standing, out);
  return out.SerializeAsString();
}

ledger::leader_standing decode_leader_standing(std::string_view bytes) {
  wire::Standing in;
  if (decode(bytes, in, "answer of the leader") && in.format() == lead_format)
    return read_standing(in);
  ledger::leader_standing other;
  other.holder = shown(bytes);
  return other;
}

std::string encode(const snapshot_piece& piece) {
  wire::Standing out;
  out.set_format(lead_format);
  out.mutable_snapshot()->set_name(piece.name);
  out.mutable_snapshot()->set_manifest(piece.manifest);
  out.mutable_snapshot()->set_data(piece.data);
  return out.SerializeAsString();
}

snapshot_piece decode_snapshot_piece(std::string_view bytes) {
  wire::Standing in;
  if (!decode(bytes, in, "piece of a snapshot") || in.format() != lead_format) return {};
  auto& piece = *in.mutable_snapshot();
  return {short_text(piece.name()), std::move(*piece.mutable_manifest()),
          std::move(*piece.mutable_data())};
}

std::string encode(const lead_memory& memory) {
  wire::Memory out;
  out.set_format(lead_format);
  out.set_plane(memory.plane);
  if (memory.met) write_standing(*memory.met, *out.mutable_met());
  out.set_accepted_epoch(memory.accepted_epoch.value);
  return out.SerializeAsString();
}

result<lead_memory> decode_lead_memory(std::string_view bytes) {
  wire::Memory in;
  if (auto ok = decode(bytes, in, "memory of leaders"); !ok) return fail(std::move(ok.error()));
  if (auto ok = check_format(in.format(), lead_format, "memory of leaders"); !ok)
    return fail(std::move(ok.error()));
  if (in.plane().empty()) return fail(ec::corrupt, "it names no data directory");
  lead_memory out;
  out.plane = in.plane();
  if (in.has_met()) out.met = read_standing(in.met());
  out.accepted_epoch = {in.accepted_epoch()};
  return out;
}

}  // namespace argosy::codec
