// SPDX-License-Identifier: Apache-2.0
// This file includes every typed interface. Together they are the map of who may say what to whom.
#pragma once

#include "actors/interfaces/bus.hpp"
#include "actors/interfaces/executor.hpp"
#include "actors/interfaces/leader.hpp"
#include "actors/interfaces/log/audit.hpp"
#include "actors/interfaces/log/feed.hpp"
#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/log/reader.hpp"
#include "actors/interfaces/log/retention.hpp"
#include "actors/interfaces/log/store.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/interfaces/rounds/archive.hpp"
#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/rounds/round.hpp"
#include "actors/interfaces/rounds/settings.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "actors/interfaces/state/gang.hpp"
#include "actors/interfaces/state/node.hpp"
#include "actors/interfaces/state/policies.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "actors/interfaces/tracer.hpp"
