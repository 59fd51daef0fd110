// SPDX-License-Identifier: Apache-2.0
// open_appends keeps what an owner of state has applied and sent to the JOURNAL, until the owner
// hears how the append ended. The load of the log counts the bytes meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/root.hpp"
#include "messages/codec/log/event_size.hpp"
#include "runtime/base/check.hpp"
#include "runtime/eventlog/log_load.hpp"

namespace argosy::actors {

/// `Entry` is what the owner does when it hears of an append's end.
template <class Entry>
class open_appends {
 public:
  open_appends() = default;
  /// `owner` is who says to ROOT that the log cannot be written, such as "queue 'a'".
  open_appends(std::string owner, journal_actor journal, root_actor root,
               std::shared_ptr<eventlog::log_load> load)
      : owner_(std::move(owner)),
        journal_(std::move(journal)),
        root_(std::move(root)),
        load_(std::move(load)) {}

  [[nodiscard]] bool empty() const { return sent_.empty(); }
  /// The entry of the last append; there must be one.
  [[nodiscard]] Entry& last() { return sent_.rbegin()->second.entry; }

  /// Sends the events, which the owner has applied; the JOURNAL answers with
  /// (atom::append, append_outcome).
  template <class Self>
  void send(const Self& self, std::shared_ptr<native::append_request> request, Entry entry) {
    request->bytes = codec::size_hint(request->events);
    load_->add(request->bytes);
    sent_.emplace(++number_, sent{request->bytes, std::move(entry)});
    self->send(journal_, atom::append_v, number_, native::append_ptr{std::move(request)},
               caf::actor_cast<append_owner_actor>(self));
  }
  /// Takes out the entry of an append that has ended. The owner is ahead of the log by what is
  /// under way: if the log does not take it, this process must not go on, and ROOT hears so.
  template <class Self>
  [[nodiscard]] Entry take(const Self& self, const native::append_outcome& outcome) {
    auto ended = sent_.extract(outcome.number);
    ARGOSY_CHECK(!ended.empty());
    load_->remove(ended.mapped().bytes);
    if (!outcome.position)
      self->send(root_, atom::stand_down_v,
                 owner_ + " could not write to the log: " + to_string(outcome.position.error()));
    return std::move(ended.mapped().entry);
  }

 private:
  struct sent {
    std::size_t bytes = 0;
    Entry entry;
  };
  std::string owner_;
  journal_actor journal_;
  root_actor root_;
  std::shared_ptr<eventlog::log_load> load_;
  /// The open appends by number. Commits come in order; a failure may overtake them.
  std::map<std::uint64_t, sent> sent_;
  std::uint64_t number_ = 0;  ///< The number of the last append.
};

}  // namespace argosy::actors
