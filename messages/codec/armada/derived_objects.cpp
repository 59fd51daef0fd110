// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/armada/derived_objects.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace argosy::codec {

namespace {

namespace core = k8s::io::api::core::v1;
namespace networking = k8s::io::api::networking::v1;

/// The ports that containers offer, by number; each by the name of its container and its own.
using port_map = std::map<std::uint32_t, core::ServicePort>;

void add_ports(const core::Container& container, port_map& out) {
  for (const auto& port : container.ports()) {
    if (port.hostport() != 0 || port.containerport() <= 0) continue;
    core::ServicePort offered;
    offered.set_name(container.name() + "-" + std::to_string(port.containerport()));
    offered.set_port(port.containerport());
    offered.set_protocol(port.protocol().empty() ? "TCP" : port.protocol());
    out.try_emplace(static_cast<std::uint32_t>(port.containerport()), std::move(offered));
  }
}

port_map ports_of(const core::PodSpec& pod) {
  port_map out;
  for (const auto& each : pod.containers()) add_ports(each, out);
  for (const auto& each : pod.initcontainers())
    if (each.restartpolicy() == "Always") add_ports(each, out);
  return out;
}

/// Adds the objects of one job, each kind with numbers of its own.
class builder {
 public:
  builder(const model::start_run& order, std::string cluster, armadaevents::SubmitJob& job)
      : order_(order),
        pod_("armada-" + to_string(order.run.job) + "-0"),
        cluster_(std::move(cluster)),
        job_(job) {}

  /// Returns the name of the service; empty if none of the ports is offered.
  std::string add_service(const std::vector<core::ServicePort>& ports, const std::string& type,
                          bool headless) {
    if (ports.empty()) return {};
    const auto name = pod_ + "-service-" + std::to_string(services_++);
    auto& service = *add(name).mutable_service();
    service.set_type(type);
    if (headless) service.set_clusterip("None");
    for (const auto& port : ports) *service.add_ports() = port;
    (*service.mutable_selector())["armada_job_id"] = to_string(order_.run.job);
    return name;
  }

  void add_ingress(const api::IngressConfig& wanted, const std::vector<core::ServicePort>& ports,
                   const std::string& service) {
    auto& object = add(pod_ + "-ingress-" + std::to_string(ingresses_++));
    for (const auto& [key, value] : wanted.annotations())
      (*object.mutable_objectmeta()->mutable_annotations())[key] = value;
    auto& ingress = *object.mutable_ingress();
    networking::IngressTLS tls;
    tls.set_secretname(wanted.cert_name());
    for (const auto& port : ports) {
      const auto host = port.name() + "-" + pod_ + "." + order_.name_space + ".";
      auto& rule = *ingress.add_rules();
      rule.set_host(host);
      tls.add_hosts(host);
      auto& path = *rule.mutable_ingressrulevalue()->mutable_http()->add_paths();
      path.set_path("/");
      path.set_pathtype("Prefix");
      auto& backend = *path.mutable_backend()->mutable_service();
      backend.set_name(service);
      backend.mutable_port()->set_number(port.port());
    }
    if (wanted.tls_enabled()) *ingress.add_tls() = tls;
  }

 private:
  armadaevents::KubernetesObject& add(const std::string& name) {
    auto& out = *job_.add_objects();
    auto& meta = *out.mutable_objectmeta();
    meta.set_executor_id(cluster_);
    meta.set_namespace_(order_.name_space);
    meta.set_name(name);
    (*meta.mutable_labels())["armada_job_id"] = to_string(order_.run.job);
    (*meta.mutable_labels())["armada_queue_id"] = order_.queue;
    (*meta.mutable_annotations())["armada_jobset_id"] = order_.job_set;
    (*meta.mutable_annotations())["armada_owner"] = order_.owner;
    return out;
  }

  const model::start_run& order_;
  const std::string pod_;
  const std::string cluster_;
  armadaevents::SubmitJob& job_;
  int services_ = 0;
  int ingresses_ = 0;
};

template <class Ports>
std::vector<core::ServicePort> offered(const port_map& all, const Ports& wanted) {
  std::vector<core::ServicePort> out;
  for (const auto port : wanted)
    if (const auto found = all.find(port); found != all.end()) out.push_back(found->second);
  return out;
}

}  // namespace

void add_derived_objects(const model::start_run& order, const log::v1::JobSpec& spec,
                         const std::string& cluster, armadaevents::SubmitJob& job) {
  const auto all = ports_of(spec.pod_spec());
  builder out{order, cluster, job};
  struct made {
    std::string name;
    std::vector<std::int32_t> ports;
  };
  std::vector<made> services;
  const auto add = [&](const std::vector<core::ServicePort>& ports, const std::string& type,
                       bool headless) {
    made one{out.add_service(ports, type, headless), {}};
    for (const auto& port : ports) one.ports.push_back(port.port());
    services.push_back(one);
    return one.name;
  };
  for (const auto& wanted : spec.services()) {
    const auto ports = offered(all, wanted.ports());
    const bool headless = wanted.type() == api::Headless;
    if (!ports.empty()) add(ports, headless ? "ClusterIP" : "NodePort", headless);
  }
  for (const auto& wanted : spec.ingress()) {
    const auto ports = offered(all, wanted.ports());
    if (ports.empty()) continue;
    const auto covers = [&](const made& one) {
      return std::all_of(ports.begin(), ports.end(), [&](const auto& port) {
        return std::find(one.ports.begin(), one.ports.end(), port.port()) != one.ports.end();
      });
    };
    const auto found = std::find_if(services.begin(), services.end(), covers);
    out.add_ingress(
        wanted, ports,
        found != services.end() ? found->name : add(ports, "ClusterIP", !wanted.use_clusterip()));
  }
}

}  // namespace argosy::codec
