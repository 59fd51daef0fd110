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

void write_name(const model::record_name& name, wire::RecordName& out) {
  out.set_epoch(name.epoch.value);
  out.set_position(name.position.value);
  out.set_hash(name.hash);
}

model::record_name read_name(const wire::RecordName& in) {
  return {{in.epoch()}, {in.position()}, in.hash()};
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
  write_name(standing.committed, *out.mutable_committed());
  out.set_has_planes(standing.has_planes);
  out.set_is_over(standing.is_over);
  out.set_heir(standing.heir);
}

ledger::leader_standing read_standing(const wire::Standing& in) {
  return {short_text(in.holder()),
          short_text(in.control_plane()),
          {in.epoch()},
          {in.generation()},
          {in.position()},
          short_text(in.server_id()),
          in.key_print(),
          read_name(in.committed()),
          in.has_planes(),
          in.is_over(),
          short_text(in.heir())};
}

}  // namespace

std::string encode(const waiting_word& word) {
  wire::Question out;
  out.set_format(lead_format);
  out.set_plane(word.plane);
  out.set_holder(word.holder);
  out.set_problem(short_text(word.problem));
  if (word.applied) out.set_applied(word.applied->value);
  out.set_place(word.place);
  write_name(word.end, *out.mutable_end());
  out.set_bound(word.bound.value);
  if (word.snapshot) {
    out.mutable_snapshot()->set_name(word.snapshot->name);
    out.mutable_snapshot()->set_offset(word.snapshot->offset);
    out.mutable_snapshot()->set_generation(word.snapshot->generation.value);
  }
  return out.SerializeAsString();
}

waiting_word decode_waiting_word(std::string_view bytes) {
  wire::Question in;
  if (!decode(bytes, in, "question who leads") || in.format() != lead_format) return {};
  waiting_word out{short_text(in.plane()), short_text(in.holder()), short_text(in.problem())};
  if (in.has_applied()) out.applied = model::log_position{in.applied()};
  out.place = short_text(in.place());
  out.end = read_name(in.end());
  out.bound = {in.bound()};
  if (in.has_snapshot())
    out.snapshot = {
        short_text(in.snapshot().name()), in.snapshot().offset(), {in.snapshot().generation()}};
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

std::string encode(const ledger::binding_question& question) {
  wire::BindingQuestion out;
  out.set_format(lead_format);
  out.set_asker(question.asker);
  out.set_epoch(question.epoch.value);
  write_name(question.end, *out.mutable_end());
  return out.SerializeAsString();
}

std::optional<ledger::binding_question> decode_binding_question(std::string_view bytes) {
  wire::BindingQuestion in;
  if (!decode(bytes, in, "question of a plane") || in.format() != lead_format) return std::nullopt;
  return ledger::binding_question{short_text(in.asker()), {in.epoch()}, read_name(in.end())};
}

std::string encode(const ledger::binding_answer& answer) {
  wire::BindingAnswer out;
  out.set_format(lead_format);
  out.set_plane(answer.plane);
  out.set_asked(answer.asked.value);
  out.set_bound(answer.is_bound);
  out.set_hears_leader(answer.hears_leader);
  out.set_highest(answer.highest.value);
  write_name(answer.end, *out.mutable_end());
  return out.SerializeAsString();
}

std::optional<ledger::binding_answer> decode_binding_answer(std::string_view bytes) {
  wire::BindingAnswer in;
  if (!decode(bytes, in, "answer of a plane") || in.format() != lead_format) return std::nullopt;
  return ledger::binding_answer{short_text(in.plane()), {in.asked()},   in.bound(),
                                in.hears_leader(),      {in.highest()}, read_name(in.end())};
}

std::string encode(const lead_memory& memory) {
  wire::Memory out;
  out.set_format(lead_format);
  out.set_plane(memory.plane);
  if (memory.met) write_standing(*memory.met, *out.mutable_met());
  out.set_accepted_epoch(memory.accepted_epoch.value);
  out.set_bound_epoch(memory.bound.epoch.value);
  out.set_bound_to(memory.bound.asker);
  for (const auto& mark : memory.marks) out.add_marks(mark);
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
  out.bound = {{in.bound_epoch()}, in.bound_to()};
  out.marks.assign(in.marks().begin(), in.marks().end());
  return out;
}

}  // namespace argosy::codec
