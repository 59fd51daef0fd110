// SPDX-License-Identifier: Apache-2.0
// The map of the system: every typed interface, one header each.
#pragma once

#include "actors/interfaces/bus.hpp"
#include "actors/interfaces/cluster.hpp"
#include "actors/interfaces/coordinator.hpp"
#include "actors/interfaces/executor.hpp"
#include "actors/interfaces/feed.hpp"
#include "actors/interfaces/gang.hpp"
#include "actors/interfaces/journal.hpp"
#include "actors/interfaces/leader.hpp"
#include "actors/interfaces/node.hpp"
#include "actors/interfaces/queue.hpp"
#include "actors/interfaces/reader.hpp"
#include "actors/interfaces/retention.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/interfaces/round.hpp"
#include "actors/interfaces/store.hpp"
#include "actors/interfaces/tracer.hpp"
