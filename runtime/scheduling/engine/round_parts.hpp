// SPDX-License-Identifier: Apache-2.0
// The parts of one round that place gangs, put together. Each owns its state; a step is given those
// that it needs.
#pragma once

#include <cstdint>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/steps/armada_traces.hpp"
#include "runtime/scheduling/engine/steps/decisions.hpp"
#include "runtime/scheduling/engine/steps/node_chooser.hpp"
#include "runtime/scheduling/engine/steps/node_order.hpp"
#include "runtime/scheduling/engine/steps/placer.hpp"
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

struct round_parts {
  round_parts(world& given, const round_params& params)
      : nodes(given),
        queues(nodes.nodes, params, nodes.nodes.borders.pool()),
        made(nodes.nodes.t),
        budget(nodes, queues, params.preemption_tokens),
        under_way(nodes, queues),
        order(nodes, under_way.bound_new()),
        traces(nodes),
        chooser(nodes, queues, under_way, order, budget, traces),
        places(nodes, queues, under_way, chooser, made, budget) {
    if (nodes.nodes.conf.explicit_victims() || order.asks_users())
      under_way.bound_new().open(nodes.nodes.count());
  }

  world& nodes;
  books queues;
  decisions made;
  preemption_budget budget;
  trial under_way;
  node_order order;
  armada_traces traces;
  node_chooser chooser;
  placer places;
};

}  // namespace argosy::scheduling::engine
