// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/node_prospects.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

class survey {
 public:
  survey(const one_node& node, std::size_t named)
      : node_(node), t_(node.from().data()), named_(named) {}

  void look(const queue_record& queue, std::size_t most) {
    out_.waiting += queue.queued.size();
    const auto count = std::min(most, queue.queued.size());
    for (std::size_t i = 0; i < count; ++i) {
      ++out_.looked_at;
      const auto job = queue.queued[i].job;
      const auto& judged = judge(job);
      if (!judged.fits_if_open() && !judged.room_by_preemption)
        keep(judged);
      else if (++out_.fitting <= named_)
        out_.first.push_back({t_.jobs[job].id, queue.name, i + 1, judged.room_by_preemption});
    }
  }

  node_prospects take() {
    for (auto& [key, kept] : kept_) out_.kept.push_back(std::move(kept));
    std::ranges::stable_sort(out_.kept, std::ranges::greater{}, &kept_jobs::jobs);
    return std::move(out_);
  }

 private:
  /// Jobs of one shape and one declaration of their gang are judged alike.
  const node_judgement& judge(std::uint32_t job) {
    const auto& record = t_.jobs[job];
    const auto gang = record.gang == none ? none : record.gang_terms;
    const auto [found, is_new] = judged_.try_emplace({record.shape, gang, record.pools});
    if (is_new) found->second = node_.judge(job);
    return found->second;
  }

  /// Counts the job under what stands in its way first, closures of the node aside.
  void keep(const node_judgement& judged) {
    const auto first = std::ranges::find_if(
        judged.obstacles, [](const auto& each) { return !is_closure(each.kind); });
    auto& sum = kept_[{first->kind, first->subject}];
    if (sum.jobs == 0 || first->need < sum.what.need) sum.what = *first;
    ++sum.jobs;
  }

  const one_node& node_;
  const tables& t_;
  std::size_t named_;
  node_prospects out_;
  std::map<std::tuple<shape_id, std::uint32_t, std::uint16_t>, node_judgement> judged_;
  std::map<std::pair<obstacle_kind, std::string>, kept_jobs> kept_;
};

}  // namespace

node_prospects waiting_for(const one_node& node, std::string_view queue, prospect_limits limits) {
  const auto& t = node.from().data();
  if (!node.from().settled()) return {};
  std::vector<const queue_record*> queues;
  for (const auto& each : t.queues)
    if (!each.queued.empty() && (queue.empty() || each.name == queue)) queues.push_back(&each);
  std::ranges::sort(queues, {}, &queue_record::name);
  survey made(node, limits.named);
  for (const auto* each : queues)
    made.look(*each, std::max<std::size_t>(1, limits.looks / queues.size()));
  return made.take();
}

}  // namespace argosy::scheduling
