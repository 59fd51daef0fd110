// SPDX-License-Identifier: Apache-2.0
// Targets: what stands in the log and in the store.
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <map>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/check/store_check.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/store_codec.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/world.hpp"

namespace argosy::fuzz {
namespace {

/// The story as batches, and each of its events alone.
std::vector<model::log_batch> some_batches() {
  std::vector<model::log_batch> out;
  for (auto& events : some_story()) {
    auto& batch = out.emplace_back();
    batch.epoch = {1};
    batch.number = out.size();
    batch.events = std::move(events);
  }
  return out;
}

bool take_log(std::string_view input) {
  const auto [which, bytes] = choose(input, 2);
  if (which == 1)
    return comes_back<model::event>(bytes, codec::decode_event, [](const model::event& event) {
      return codec::encode_event(event, true);
    });
  const bool taken = comes_back<model::log_batch>(bytes, codec::decode_batch, codec::encode_batch);
  require(!taken || codec::is_batch(bytes), "what is decoded is no batch");
  static_cast<void>(world::key().signed_by_this(bytes));
  return taken;
}

const registered log_batches{{.name = "log_batches",
                              .what = form::wire,
                              .choice_bytes = 1,
                              .take = take_log,
                              .seeds =
                                  [] {
                                    std::vector<std::string> out;
                                    for (const auto& batch : some_batches()) {
                                      out.push_back(with_choice(0, codec::encode_batch(batch)));
                                      for (const auto& event : batch.events)
                                        out.push_back(
                                            with_choice(1, codec::encode_event(event, true)));
                                    }
                                    return out;
                                  },
                              .inputs = 3'000}};

/// A store in which all tables of a control plane have records.
const std::string& whole_store() {
  static const auto dumped = [] {
    world of;
    for (const auto& events : some_story()) of.add(events);
    return dump(of.database());
  }();
  return dumped;
}

/// The records of each table alone, and as many of them as an input may have together.
std::vector<std::string> store_seeds() {
  google::protobuf::UnknownFieldSet all;
  all.ParseFromString(whole_store());
  std::map<int, google::protobuf::UnknownFieldSet> tables;
  google::protobuf::UnknownFieldSet some;
  for (int i = 0; i < all.field_count(); ++i) {
    const auto& field = all.field(i);
    if (tables[field.number()].field_count() < 2) some.AddField(field);
    tables[field.number()].AddField(field);
  }
  std::vector<std::string> out;
  some.SerializeToString(&out.emplace_back());
  for (const auto& [number, table] : tables) table.SerializeToString(&out.emplace_back());
  return out;
}

/// A store with any records is read, checked and told of, whatever is in it.
bool take_store(std::string_view input) {
  store::memory_database database;
  restore(input, database);
  view::recovered_state state;
  const auto loaded = view::load_view(database, {}, world::key(), state);
  if (!loaded) refused(loaded.error());
  if (loaded) {
    view::attach_runs(state, {});
    view::forget_departed(state);
  }
  if (const auto carried = view::load_carried(database); !carried) refused(carried.error());
  const auto txn = database.begin_read();
  view::check_report report;
  if (const auto end = view::check_store(**txn, &world::key(), report); !end) refused(end.error());
  if (const auto kept = view::read_oldest_kept(**txn); !kept) refused(kept.error());
  if (const auto made = view::prepare_counts(database); !made) refused(made.error());
  return loaded.has_value();
}

const registered stores{{.name = "stores",
                         .what = form::wire,
                         .take = take_store,
                         .seeds = store_seeds,

                         .inputs = 400}};

}  // namespace
}  // namespace argosy::fuzz
