// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/contest.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

namespace {

/// With this many queues their books do not fit into the nearest cache.
constexpr std::size_t many_queues = 256;

/// So many jobs in a row are passed over one by one before many are at once.
constexpr std::uint64_t leap_after = 64;
/// So many shapes are remembered that were refused since the last turn.
constexpr std::size_t refused_most = 32;

/// Sums up what the offers of a gang need, and finds its class.
void seal(gang& made, const tables& t, const config& conf, bool by_run_priority) {
  made.total.assign(t.dims, 0);
  made.returning = true;
  made.priority = every_row;
  for (const auto& member : made.offers) {
    const auto* request = t.amounts(member.shape);
    for (std::uint32_t d = 0; d < t.dims; ++d) made.total[d] += request[d];
    made.returning = made.returning && member.home != none;
    const auto priority = by_run_priority
                              ? member.run_priority
                              : conf.classes[t.shapes[member.shape].class_index].priority;
    made.priority = std::min(made.priority, priority);
  }
}

/// Whether the job was evicted, and its place is taken: then it has no turn.
bool has_lost(const contest_options& options, const bindings& bound, const offer& o) {
  return options.skips_lost && o.home != none && bound.was_pushed_out(o.job);
}

}  // namespace

contest::contest(const node_columns& nodes, const bindings& bound, const books& sums,
                 const offer_lists& returning, std::vector<const std::int64_t*> used,
                 const contest_options& options)
    : bound_(bound),
      t_(nodes.t),
      conf_(nodes.conf),
      books_(sums),
      returning_(returning),
      used_(std::move(used)),
      options_(options),
      pool_(nodes.t.pool_sets.size() > 1 ? nodes.borders.pool() : none),
      streams_(sums.queues.size()),
      ranks_(nodes.t, nodes.conf, sums),
      turns_(sums.queues.size()) {
  for (std::size_t q = 0; q < streams_.size(); ++q) {
    streams_[q].head.total.assign(t_.dims, 0);
    if (!options_.with_queued || books_.queues[q].away) continue;
    const auto& list = t_.queues[books_.queues[q].slot].queued;
    streams_[q].next = list.data();
    streams_[q].end = list.data() + list.size();
  }
  refill();
  for (std::uint32_t q = 0; q < streams_.size(); ++q)
    if (books_.queues[q].cordoned) close_queue(q, reason::queue_cordoned);
}

turn_rank contest::rank_of(std::uint32_t queue) {
  const auto& head = streams_[queue].head;
  return ranks_.of(queue, used_[queue], {head.total.data(), head.priority, head.returning});
}

void contest::place(std::uint32_t queue) {
  const auto& s = streams_[queue];
  if (peek(queue))
    turns_.put(s.ranked ? s.rank : rank_of(queue));
  else
    turns_.remove(queue);
}

void contest::lighten(std::uint32_t queue) {
  if (!turns_.contains(queue)) return;
  auto& s = streams_[queue];
  if (!has_lost(options_, bound_, s.head.offers.front())) return turns_.put(rank_of(queue));
  s.has_head = false;
  place(queue);
}

void contest::refill() {
  std::vector<turn_rank> ranks;
  ranks.reserve(streams_.size());
  for (std::uint32_t q = 0; q < streams_.size(); ++q)
    if (peek(q)) ranks.push_back(rank_of(q));
  turns_.assign(std::move(ranks));
}

gang* contest::head() {
  return turns_.empty() ? nullptr : &streams_[turns_.first().queue].head;
}

void contest::advance() {
  const auto queue = turns_.first().queue;
  streams_[queue].has_head = false;
  place(queue);
  if (streams_.size() >= many_queues) look_ahead();
}

void contest::look_ahead() const {
  // The next turn is that of one of the next two queues in the heap, and the one after it may be
  // that of one of the four below these.
  for (std::size_t i = 1; i < 7 && i < turns_.size(); ++i) {
    const auto queue = turns_.at(i);
    const auto& s = streams_[queue];
    const auto& book = books_.queues[queue];
    if (i > 2) {
      for (std::size_t at = 0; at < sizeof s; at += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(&s) + at);
      for (std::size_t at = 0; at < sizeof book; at += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(&book) + at);
      continue;
    }
    __builtin_prefetch(s.head.offers.data());
    __builtin_prefetch(s.head.total.data());
    __builtin_prefetch(s.next);
    __builtin_prefetch(book.used.data());
    __builtin_prefetch(book.by_class.data());
  }
}

void contest::stream::close() {
  if (closed) return;
  closed = true;
  if (!has_head || head.returning) return;
  std::swap(parked, head);
  has_parked = true;
  has_head = false;
}

void contest::close(reason why) {
  for (auto& s : streams_) {
    s.close();
    if (why != reason::not_reached && s.ended == reason::placed && !s.exhausted) s.ended = why;
  }
  refill();
}

void contest::close_queue(std::uint32_t queue, reason why) {
  streams_[queue].ended = why;
  streams_[queue].close();
  place(queue);
}

void contest::reopen() {
  for (auto& s : streams_) {
    if (s.ended != reason::placed) continue;
    s.closed = false;
    std::swap(s.head, s.parked);
    s.has_head = s.has_parked;
    s.has_parked = false;
  }
  refill();
}

void contest::skip(stream& s, std::uint32_t queue, std::uint32_t shape) {
  if (shape != s.skip_shape) {
    flush_skips(queue);
    s.skip_shape = shape;
  }
  ++s.skip_count;
}

bool contest::pass_over(stream& s, std::uint32_t queue, const queued_entry& entry) {
  if (pool_ != none && !in_pool(t_, t_.jobs[entry.job].pools, pool_)) return true;
  ++s.seen;
  if (entry.shape == s.refused_shape && entry.gang == none) {
    skip(s, queue, entry.shape);
    return true;
  }
  auto& admission = *options_.admission;
  if (!admission.asked()) {
    ++s.looked_at;
    if (!admission.is_misfit(queue, entry.shape, entry.job)) return false;
    if (entry.gang != none) spoiled_.insert(entry.gang);
    skip(s, queue, entry.shape);
    return true;
  }
  // Gangs are asked when they are complete.
  if (entry.gang != none || books_.queues[queue].cordoned || !admission.known_refused(entry.shape))
    return false;
  if (!admission.refuse(entry.job, entry.shape, queue)) skip(s, queue, entry.shape);
  s.refused_shape = entry.shape;
  return true;
}

void contest::leap(stream& s, std::uint32_t queue) {
  s.passed = 0;
  if (s.next == s.end) return;
  struct passed_jobs {
    const settled_list<std::uint32_t>* jobs;
    std::uint32_t shape;
    std::size_t first;
  };
  auto& admission = *options_.admission;
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return queued_before(t_, a, b); };
  // Places are mostly near to where they are sought from, and far jobs are dear to compare.
  const auto place_in = [&](const settled_list<std::uint32_t>& jobs, std::size_t from_place,
                            std::uint32_t job) {
    std::size_t reach = 16;
    while (from_place + reach < jobs.size() && before(jobs[from_place + reach], job)) {
      from_place += reach;
      reach *= 2;
    }
    const auto first = jobs.begin() + static_cast<std::ptrdiff_t>(from_place);
    const auto last =
        jobs.begin() + static_cast<std::ptrdiff_t>(std::min(from_place + reach, jobs.size()));
    return static_cast<std::size_t>(std::lower_bound(first, last, job, before) - jobs.begin());
  };
  const auto from = s.next->job;
  const auto cordoned = books_.queues[queue].cordoned;  // See admit().
  auto target = none;
  std::vector<passed_jobs> passed;
  for (const auto& [key, jobs] : t_.queues[books_.queues[queue].slot].queued_alike) {
    if (pool_ != none && !in_pool(t_, key.pools, pool_)) continue;
    const auto first = place_in(jobs, 0, from);
    if (first == jobs.size()) continue;
    const auto in_vain =
        std::find(s.refused.begin(), s.refused.end(), key.shape) != s.refused.end();
    if (key.shape != none && (in_vain || (!cordoned && admission.known_refused(key.shape))))
      passed.push_back({&jobs, key.shape, first});
    else if (target == none || before(jobs[first], target))
      target = jobs[first];
  }
  std::sort(passed.begin(), passed.end(), [&](const passed_jobs& a, const passed_jobs& b) {
    return before((*a.jobs)[a.first], (*b.jobs)[b.first]);
  });
  for (const auto& [jobs, shape, first] : passed) {
    const auto last = target == none ? jobs->size() : place_in(*jobs, first, target);
    if (last <= first) continue;
    s.seen += last - first;
    const auto shown = admission.refuse((*jobs)[first], shape, queue);
    skipped_[(std::uint64_t{books_.queues[queue].slot} << 32) | shape] +=
        last - first - (shown ? 1 : 0);
  }
  s.next = target == none
               ? s.end
               : std::lower_bound(s.next, s.end, target, [&](const auto& entry, auto job) {
                   return before(entry.job, job);
                 });
}

bool contest::admit(stream& s, std::uint32_t queue) {
  auto& admission = *options_.admission;
  const auto& g = s.head;
  // A cordoned queue is closed before its first head has a turn, which gives the head its outcome.
  if (!admission.asked() || !is_new(g) || books_.queues[queue].cordoned) return true;
  const auto good = admission.feasible(g, [&] {
    s.ranked = true;
    return s.rank = rank_of(queue);
  });
  const auto& first = g.offers.front();
  if (good) {
    s.looked_at += g.offers.size();
    if (std::none_of(g.offers.begin(), g.offers.end(),
                     [&](const offer& o) { return admission.is_misfit(queue, o.shape, o.job); }))
      return true;
  } else if (first.gang == none) {
    s.refused_shape = first.shape;
    if (s.refused.size() < refused_most) s.refused.push_back(first.shape);
  }
  if (first.gang != none)
    admission.refuse(g, good);
  else if (good || !admission.refuse(first.job, first.shape, queue))
    skip(s, queue, first.shape);
  return false;
}

bool contest::next_new(stream& s, std::uint32_t queue, std::uint32_t until, offer& out) {
  while (!s.closed && s.next != s.end) {
    if (until != none && !queued_before(t_, s.next->job, until)) return false;
    const auto& entry = *s.next++;
    if (pass_over(s, queue, entry)) {
      if (options_.lookback != 0 && s.looked_at >= options_.lookback) {
        s.exhausted = true;
        s.close();
      } else if (++s.passed > leap_after && until == none && options_.admission->asked()) {
        // To leap costs as much as it takes to look at some jobs of each kind.
        if (s.passed > 4 * t_.queues[books_.queues[queue].slot].queued_alike.size()) leap(s, queue);
      }
      continue;
    }
    s.passed = 0;
    // The state is read when the job's turn comes, and the entries after it when their turns come.
    bound_.prefetch(entry.job);
    __builtin_prefetch(&entry + 4);
    out = {};
    out.job = entry.job;
    out.shape = entry.shape;
    out.gang = entry.gang;
    out.members = entry.gang == none ? 1 : t_.gang_terms[t_.jobs[entry.job].gang_terms].cardinality;
    out.run_priority = conf_.classes[t_.shapes[entry.shape].class_index].priority;
    return true;
  }
  return false;
}

bool contest::fetch(std::uint32_t queue, offer& out) {
  auto& s = streams_[queue];
  const auto& back = returning_[queue];
  while (s.returned != back.size() && has_lost(options_, bound_, back[s.returned])) ++s.returned;
  if (s.returned == back.size()) return next_new(s, queue, none, out);
  // Evicted jobs stand in the queue's own order, so that new jobs before them come first.
  if (!conf_.evicted_first && next_new(s, queue, back[s.returned].job, out)) return true;
  out = back[s.returned++];
  if (s.returned + 1 < back.size()) __builtin_prefetch(&back[s.returned + 1]);
  bound_.prefetch(out.job, out.home);
  return true;
}

bool contest::peek(std::uint32_t queue) {
  auto& s = streams_[queue];
  offer got;
  if (!s.has_head) {
    s.refused_shape = none;
    s.refused.clear();
  }
  while (!s.has_head) {
    if (options_.lookback != 0 && s.looked_at >= options_.lookback) {
      s.exhausted = s.exhausted || s.next != s.end;
      s.close();
    }
    if (!fetch(queue, got)) return false;
    s.head.offers.clear();
    // Evicted members return without waiting for queued ones, except under `current`.
    const auto apart = conf_.return_room_only && got.home != none;
    const auto key = (std::uint64_t{got.gang} << 1) | (apart ? 1 : 0);
    if (got.gang == none || (got.members == 1 && !waiting_.contains(key))) {
      s.head.offers.push_back(got);
    } else {
      const auto [at, first] = waiting_.try_emplace(key);
      auto& crowd = at->second;
      if (first && !spare_.empty()) {
        crowd = std::move(spare_.back());
        spare_.pop_back();
      }
      crowd.push_back(got);
      // The number that the last member declares decides.
      if (crowd.size() != got.members) continue;
      s.head.offers.swap(crowd);
      spare_.push_back(std::move(crowd));
      waiting_.erase(at);
    }
    seal(s.head, t_, conf_, options_.by_run_priority);
    s.ranked = false;
    s.has_head = got.home != none || admit(s, queue);
  }
  return true;
}

void contest::flush_skips(std::uint32_t queue) {
  auto& s = streams_[queue];
  if (s.skip_count != 0)
    skipped_[(std::uint64_t{books_.queues[queue].slot} << 32) | s.skip_shape] += s.skip_count;
  s.skip_count = 0;
}

const absl::flat_hash_map<std::uint64_t, std::uint64_t>& contest::skipped() {
  for (std::uint32_t q = 0; q < streams_.size(); ++q) flush_skips(q);
  return skipped_;
}

std::uint64_t contest::unseen(std::uint32_t queue) const {
  const auto& s = streams_[queue];
  auto jobs = static_cast<std::uint64_t>(s.end - s.next);
  if (pool_ != none && jobs != 0) {
    jobs = 0;
    for (const auto& usage : t_.queues[books_.queues[queue].slot].queued_usage)
      if (in_pool(t_, usage.pool, pool_)) jobs += usage.jobs;
    jobs -= s.seen;
  }
  if (s.has_parked)
    for (const auto& o : s.parked.offers) jobs += o.home == none ? 1 : 0;
  return jobs;
}

reason contest::why_unseen(std::uint32_t queue) const {
  const auto& s = streams_[queue];
  if (s.ended != reason::placed) return s.ended;
  return s.exhausted ? reason::lookback_limit : reason::not_reached;
}

reason contest::why_waiting(std::uint32_t queue, const offer& member) const {
  // A member was skipped, so that the others would wait in vain.
  if (spoiled_.contains(member.gang)) return reason::gang_does_not_fit;
  const auto& s = streams_[queue];
  const auto all_there = t_.gangs[member.gang].members.size() >= member.members;
  const auto cut_off = s.closed && s.next != s.end;
  return all_there && cut_off ? why_unseen(queue) : reason::gang_incomplete;
}

void contest::incomplete(std::vector<offer>& out) const {
  for (const auto& [number, crowd] : waiting_)
    for (const auto& waiting : crowd)
      if (waiting.home == none) out.push_back(waiting);
}

}  // namespace argosy::scheduling::engine
