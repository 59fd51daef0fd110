// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/attached_manifest_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "messages/codec/pod_manifest_codec.hpp"
#include "messages/codec/rest/go_json.hpp"

namespace argosy::codec {

namespace {

namespace core = k8s::io::api::core::v1;

struct open_port {
  std::string name;  ///< "main-8080"
  std::int32_t number = 0;
  std::string protocol;
};
using port_list = std::vector<open_port>;

void add_ports(const core::Container& container, port_list& out) {
  for (const auto& each : container.ports())
    if (each.hostport() == 0)
      out.push_back({container.name() + "-" + std::to_string(each.containerport()),
                     each.containerport(), each.protocol().empty() ? "TCP" : each.protocol()});
}

port_list open_ports(const core::PodSpec& pod) {
  port_list out;
  for (const auto& each : pod.containers()) add_ports(each, out);
  for (const auto& each : pod.initcontainers())
    if (each.restartpolicy() == "Always") add_ports(each, out);
  return out;
}

template <class Numbers>
port_list chosen(const port_list& from, const Numbers& wanted) {
  port_list out;
  for (const auto& each : from)
    if (std::ranges::find(wanted, static_cast<std::uint32_t>(each.number)) != wanted.end())
      out.push_back(each);
  return out;
}

class maker {
 public:
  maker(const model::start_run& order, const log::v1::JobSpec& spec, const std::string& queue)
      : order_(order), base_(pod_name(order.run)), ports_(open_ports(spec.pod_spec())) {
    labels_ = {{"armada_job_id", to_string(order.run.job)},
               {"argosy.io/run", to_string(order.run)}};
    selector_ = labels_;
    if (!queue.empty()) labels_["armada_queue_id"] = queue;
    annotations_ = {{"armada_jobset_id", order.job_set}, {"armada_owner", order.owner}};
    for (const auto& each : spec.services()) add_service(each);
    for (const auto& each : spec.ingress()) add_ingress(each);
  }

  std::vector<std::string> take() {
    services_.insert(services_.end(), std::make_move_iterator(ingresses_.begin()),
                     std::make_move_iterator(ingresses_.end()));
    return std::move(services_);
  }

 private:
  go_json object(const char* version, const char* kind, const std::string& name) const {
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata",
             {{"name", name},
              {"namespace", order_.name_space},
              {"labels", labels_},
              {"annotations", annotations_}}}};
  }

  /// Makes a service of these ports and returns its name.
  std::string add_service(const port_list& ports, const char* type, bool is_headless) {
    const auto name = base_ + "-service-" + std::to_string(services_.size());
    auto out = object("v1", "Service", name);
    out["spec"] = {{"type", type}, {"selector", selector_}, {"ports", go_json::array()}};
    if (is_headless) out["spec"]["clusterIP"] = "None";
    std::set<std::uint32_t> numbers;
    for (const auto& each : ports) {
      out["spec"]["ports"].push_back(
          {{"name", each.name}, {"protocol", each.protocol}, {"port", each.number}});
      numbers.insert(static_cast<std::uint32_t>(each.number));
    }
    services_.push_back(text_of(out));
    covered_.emplace_back(name, std::move(numbers));
    return name;
  }

  void add_service(const api::ServiceConfig& wanted) {
    const auto ports = chosen(ports_, wanted.ports());
    if (ports.empty()) return;
    const bool is_headless = wanted.type() == api::Headless;
    add_service(ports, is_headless ? "ClusterIP" : "NodePort", is_headless);
  }

  /// A service that has all these ports.
  std::string service_with(const port_list& ports, bool is_headless) {
    for (const auto& [name, numbers] : covered_)
      if (std::ranges::all_of(ports, [&](const open_port& each) {
            return numbers.contains(static_cast<std::uint32_t>(each.number));
          }))
        return name;
    return add_service(ports, "ClusterIP", is_headless);
  }

  void add_ingress(const api::IngressConfig& wanted) {
    const auto ports = chosen(ports_, wanted.ports());
    if (ports.empty()) return;
    const auto service = service_with(ports, !wanted.use_clusterip());
    auto out = object("networking.k8s.io/v1", "Ingress",
                      base_ + "-ingress-" + std::to_string(ingresses_.size()));
    for (const auto& [name, value] : wanted.annotations())
      if (!annotations_.contains(name)) out["metadata"]["annotations"][name] = value;
    auto rules = go_json::array();
    auto hosts = go_json::array();
    for (const auto& each : ports) {
      const auto host = each.name + "-" + base_ + "." + order_.name_space + ".";
      hosts.push_back(host);
      const go_json backend{{"service", {{"name", service}, {"port", {{"number", each.number}}}}}};
      const go_json path{{"path", "/"}, {"pathType", "Prefix"}, {"backend", backend}};
      rules.push_back({{"host", host}, {"http", {{"paths", go_json::array({path})}}}});
    }
    out["spec"]["rules"] = std::move(rules);
    if (wanted.tls_enabled()) {
      go_json tls{{"hosts", std::move(hosts)}};
      if (!wanted.cert_name().empty()) tls["secretName"] = wanted.cert_name();
      out["spec"]["tls"] = go_json::array({std::move(tls)});
    }
    ingresses_.push_back(text_of(out));
  }

  static std::string text_of(const go_json& from) {
    return from.dump(-1, ' ', false, go_json::error_handler_t::replace);
  }

  const model::start_run& order_;
  const std::string base_;
  const port_list ports_;
  go_json labels_;
  go_json selector_;
  go_json annotations_;
  std::vector<std::string> services_;
  std::vector<std::string> ingresses_;
  std::vector<std::pair<std::string, std::set<std::uint32_t>>> covered_;
};

}  // namespace

std::vector<std::string> make_attached_manifests(const model::start_run& order,
                                                 const log::v1::JobSpec& spec,
                                                 const std::string& queue) {
  if (spec.services().empty() && spec.ingress().empty()) return {};
  return maker{order, spec, queue}.take();
}

}  // namespace argosy::codec
