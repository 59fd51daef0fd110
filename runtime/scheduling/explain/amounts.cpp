// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/amounts.hpp"

#include <algorithm>
#include <vector>

#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

std::int64_t milli_per_step(std::string_view resource, const config& conf) {
  const auto type = std::find_if(conf.resources.begin(), conf.resources.end(),
                                 [&](const auto& each) { return each.name == resource; });
  return type == conf.resources.end() ? 1000 : type->milli_per_step;
}

}  // namespace

double amount_in_units(std::int64_t steps, std::string_view resource, const config& conf) {
  return static_cast<double>(steps) * static_cast<double>(milli_per_step(resource, conf)) / 1e3;
}

std::string amount_text(std::int64_t steps, std::string_view resource, const config& conf,
                        model::rounding to) {
  const auto unit = model::unit_of(resource);
  const std::int64_t milli_per_unit = unit == model::resource_unit::milli ? 1 : 1000;
  const auto amount = static_cast<wide>(steps) * milli_per_step(resource, conf) / milli_per_unit;
  return model::human_amount(static_cast<std::int64_t>(amount), unit, to);
}

std::string amount_of(std::int64_t steps, std::string_view resource, const config& conf,
                      model::rounding to) {
  auto text = amount_text(steps, resource, conf, to);
  switch (model::unit_of(resource)) {
    case model::resource_unit::milli:
      break;  // The text of the amount says "cores" already.
    case model::resource_unit::byte:
      text.append(" of ").append(resource);
      break;
    case model::resource_unit::piece:
      text.append(" ").append(resource);
      break;
  }
  return text;
}

std::string requests_text(const snapshot& from, const config& conf, shape_id shape) {
  const auto& t = from.data();
  std::vector<std::string> parts;
  for (std::uint32_t d = 0; d < t.dims; ++d)
    if (const auto need = t.amounts(shape)[d]; need != 0 && t.dim_names[d] != pod_resource)
      parts.push_back(amount_of(need, t.dim_names[d], conf, model::rounding::up));
  if (parts.empty()) return "nothing";
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

}  // namespace argosy::scheduling
