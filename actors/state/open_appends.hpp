// SPDX-License-Identifier: Apache-2.0
// open_appends keeps what an owner of state has applied and sent to the JOURNAL, until the owner
// hears how the append ended. The load of the log counts the bytes meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "actors/interfaces/log/journal.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "runtime/base/check.hpp"
#include "runtime/eventlog/log_load.hpp"

namespace argosy::actors {

/// `Entry` is what the owner does when it hears of an append's end.
template <class Entry>
class open_appends {
 public:
  [[nodiscard]] bool empty() const { return sent_.empty(); }
  /// The entry of the last append; there must be one.
  [[nodiscard]] Entry& last() { return sent_.rbegin()->second.entry; }

  /// Sends the events, which the owner has applied; the JOURNAL answers with
  /// (atom::append, append_outcome).
  template <class Self>
  void send(const Self& self, const journal_actor& journal, eventlog::log_load& load,
            std::shared_ptr<native::append_request> request, Entry entry) {
    request->bytes = codec::size_hint(request->events);
    load.add(request->bytes);
    sent_.emplace(++number_, sent{request->bytes, std::move(entry)});
    self->send(journal, atom::append_v, number_, native::append_ptr{std::move(request)},
               caf::actor_cast<append_owner_actor>(self));
  }
  /// Takes out the entry of an append that has ended.
  [[nodiscard]] Entry take(const native::append_outcome& outcome, eventlog::log_load& load) {
    auto ended = sent_.extract(outcome.number);
    ARGOSY_CHECK(!ended.empty());
    load.remove(ended.mapped().bytes);
    return std::move(ended.mapped().entry);
  }

 private:
  struct sent {
    std::size_t bytes = 0;
    Entry entry;
  };
  /// The open appends by number. Commits come in order; a failure may overtake them.
  std::map<std::uint64_t, sent> sent_;
  std::uint64_t number_ = 0;  ///< The number of the last append.
};

}  // namespace argosy::actors
