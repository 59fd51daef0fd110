// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "runtime/scheduling/snap1.hpp"
#include "runtime/scheduling/snap1/settings.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

using snap1::decimal;
using snap1::plain;

std::string or_dash(std::string text) {
  return text.empty() ? "-" : text;
}

class world_writer {
 public:
  explicit world_writer(const tables& t) : t_(t) {}

  std::string write() {
    nodes();
    queues();
    jobs();
    return std::move(text_);
  }

 private:
  /// Writes the fields of one line.
  void put(std::initializer_list<std::string_view> fields) {
    bool first = true;
    for (const auto field : fields) {
      if (!first) text_ += ' ';
      text_ += field;
      first = false;
    }
    text_ += '\n';
  }

  static constexpr std::array<std::string_view, 3> columns = {"cpu", "memory", "nvidia.com/gpu"};

  [[nodiscard]] std::string amount(const std::int64_t* amounts, std::uint32_t dims,
                                   std::string_view name) const {
    for (std::uint32_t d = 0; d < dims; ++d)
      if (t_.dim_names[d] == name) return std::to_string(amounts[d]);
    return "0";
  }

  [[nodiscard]] std::string extra(const std::int64_t* amounts, std::uint32_t dims) const {
    std::string list;
    for (std::uint32_t d = 0; d < dims; ++d) {
      const auto& name = t_.dim_names[d];
      if (amounts[d] == 0 || std::find(columns.begin(), columns.end(), name) != columns.end())
        continue;
      list += (list.empty() ? "" : ",") + plain(name) + "=" + std::to_string(amounts[d]);
    }
    return or_dash(std::move(list));
  }

  static std::string labels(const label_list& from) {
    std::string list;
    for (const auto& [name, value] : from)
      list += (list.empty() ? "" : ",") + plain(name) + "=" + plain(value);
    return or_dash(std::move(list));
  }

  void nodes() {
    numbers_.assign(t_.nodes.size(), -1);
    std::int64_t next = 0;
    for (std::size_t slot = 0; slot < t_.nodes.size(); ++slot) {
      const auto& node = t_.nodes[slot];
      if (!node.present) continue;
      std::vector<std::int64_t> total(t_.node_dims);
      for (std::uint32_t d = 0; d < t_.node_dims; ++d)
        total[d] = std::max<std::int64_t>(
            0, t_.node_total[slot * t_.node_dims + d] - t_.node_held[slot * t_.node_dims + d]);
      std::string taints;
      for (const auto& spot : t_.profiles[node.profile].taints)
        taints += (taints.empty() ? "" : ",") + snap1::write_taint(spot);
      put({"N", std::to_string(next), plain(node.id),
           node.executor == none ? "-" : plain(t_.executors.name(node.executor)),
           amount(total.data(), t_.node_dims, columns[0]),
           amount(total.data(), t_.node_dims, columns[1]),
           amount(total.data(), t_.node_dims, columns[2]), labels(t_.profiles[node.profile].labels),
           or_dash(std::move(taints)), node.unschedulable ? "unschedulable" : "-",
           extra(total.data(), t_.node_dims), plain(t_.pools.name(node.pool))});
      numbers_[slot] = next++;
    }
  }

  void queues() {
    for (const auto slot : t_.queues_by_name) {
      const auto& queue = t_.queues[slot];
      if (!queue.configured) continue;
      const auto name = plain(queue.name);
      put({"Q", name, decimal(queue.factor), queue.cordoned ? "cordoned" : "-"});
      for (const auto& [resource, share] : queue.total_limit)
        put({"L", name, "-", plain(resource), decimal(share)});
      for (const auto& limit : queue.limits)
        for (const auto& [resource, share] : limit.fractions) {
          text_ += "L " + name + " " + plain(limit.priority_class) + " " + plain(resource) + " " +
                   decimal(share);
          if (!limit.pool.empty()) text_ += " " + plain(limit.pool);
          text_ += '\n';
        }
    }
  }

  static std::string affinity(const std::vector<affinity_term>& terms) {
    constexpr std::array<std::string_view, 7> words = {"In", "NotIn", "Exists", "DoesNotExist",
                                                       "Gt", "Lt",    "Invalid"};
    std::string text;
    for (const auto& term : terms) {
      std::string rules;
      for (const auto& rule : term) {
        rules += (rules.empty() ? "" : ";") + plain(rule.label) + ":";
        rules += words[static_cast<std::size_t>(rule.op)];
        rules += ':';
        for (std::size_t i = 0; i < rule.values.size(); ++i)
          rules += (i == 0 ? "" : "|") + plain(rule.values[i]);
      }
      text += (text.empty() ? "" : "||") + rules;
    }
    return or_dash(std::move(text));
  }

  [[nodiscard]] std::string pools(std::uint32_t set) const {
    std::string list;
    for (const auto pool : t_.pool_sets[set])
      list += (list.empty() ? "" : "|") + plain(t_.pools.name(pool));
    return or_dash(std::move(list));
  }

  void jobs() {
    for (const auto& job : t_.jobs)
      if (job.live()) write_job(job);
  }

  void write_job(const job_record& job) {
    const auto& shape = t_.shapes[job.shape];
    const auto& terms = t_.terms[shape.terms];
    const auto* request = t_.amounts(job.shape);
    std::string tolerations;
    for (const auto& entry : terms.tolerations)
      tolerations += (tolerations.empty() ? "" : ",") + snap1::write_toleration(entry);
    std::string gang = "-";
    std::string label = "-";
    std::uint32_t cardinality = 1;
    std::uint32_t minimum = 1;
    if (job.gang != none) {
      const auto& declared = t_.gang_terms[job.gang_terms];
      gang = "g" + std::to_string(t_.gangs[job.gang].name);
      cardinality = declared.cardinality;
      minimum = declared.minimum;
      if (declared.label != none) label = plain(t_.label_names.name(declared.label));
    }
    const auto id = to_string(job.id);
    put({"J", id, plain(t_.queues[job.queue].name), plain(t_.class_names.name(shape.class_name)),
         std::to_string(job.priority), std::to_string(job.submit_ns),
         amount(request, t_.dims, columns[0]), amount(request, t_.dims, columns[1]),
         amount(request, t_.dims, columns[2]), labels(terms.selector),
         or_dash(std::move(tolerations)), affinity(terms.affinity), gang,
         std::to_string(cardinality), label, extra(request, t_.dims), pools(job.pools),
         std::to_string(minimum)});
    if (!job.has_run()) return;
    const auto node = job.node == none ? -1 : numbers_[job.node];
    put({"R", id, std::to_string(node), std::to_string(job.created_ns),
         std::to_string(job.run_priority), plain(t_.pools.name(job.run_pool)),
         job.stopping ? "stopping" : "-"});
  }

  const tables& t_;
  std::string text_;
  /// The index of each node's line, by the node's slot; -1 for a node that is not there.
  std::vector<std::int64_t> numbers_;
};

}  // namespace

std::string write_snap1(const snapshot& from, const config& conf, const round_params& params) {
  return snap1::write_settings(conf, params) + world_writer(from.data()).write();
}

}  // namespace argosy::scheduling
