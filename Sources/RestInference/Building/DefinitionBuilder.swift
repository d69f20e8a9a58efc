// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// A builder of a definition from observed resources.
struct DefinitionBuilder {
    let observations: [ResourceObservation]
    private let origin: String
    private(set) var sites: [EntitySite] = []
    /// The site of the records of each resource.
    private(set) var rootSites: [Int] = []
    /// The sites of the other lists of each resource.
    private(set) var sideSites: [[Int]] = []
    var evidence: [DocumentPath: Evidence] = [:]

    init(_ observations: [ResourceObservation], origin: String) {
        self.observations = observations
        self.origin = origin
    }

    mutating func result() -> InferredDefinition {
        let names = resourceNames()
        collectSites(names)
        let clusters = EntityClusters(sites)
        let model = EntityModel(sites, clusters)
        let entities = model.groups.indices.map { index in
            var builder = EntityBuilder(model, index)
            let entity = builder.entity()
            evidence.merge(builder.evidence) { first, _ in first }
            return entity
        }
        var planner = ResourcePlanner(
            observations, names: names, origin: origin, model: model, rootSites: rootSites,
            sideSites: sideSites)
        let (api, resources) = planner.plan()
        evidence.merge(planner.evidence) { first, _ in first }
        let used = Self.usedEntities(resources, entities)
        let definition = Definition(
            api: api, resources: resources, entities: entities.filter { used.contains($0.name) })
        return InferredDefinition(
            definition: definition, evidence: evidence,
            summary: Summary(definition, model, planner.findings).lines)
    }

    private func resourceNames() -> [String] {
        var distinct = DistinctNames()
        _ = distinct.distinct("cursor")
        return observations.map { observation in
            let name =
                observation.givenName ?? observation.template.names.first
                ?? observation.recordName
            return distinct.distinct(Words.resourceName(name))
        }
    }

    private mutating func collectSites(_ names: [String]) {
        var collector = SiteCollector()
        for (index, observation) in observations.enumerated() {
            let name = observation.recordName
            rootSites.append(collector.sites.count)
            collector.add(
                records: observation.records, name: name,
                otherNames: Array(observation.template.names.dropFirst()), resource: index,
                isSingle: observation.plan?.isSingle == true,
                isNamed: observation.plan?.isSingle != true || observation.template.isItem
                    || observation.template.isNamedItem)
            sideSites.append(
                observation.sides.map { side in
                    let site = collector.sites.count
                    collector.add(
                        records: side.objects, name: side.type ?? side.side.name, resource: nil,
                        isSingle: false)
                    return site
                })
        }
        sites = collector.sites
    }

    /// Returns the names of the entities that the resources and their relations reach.
    private static func usedEntities(
        _ resources: [ResourceDefinition], _ entities: [EntityDefinition]
    ) -> Set<String> {
        var used: Set<String> = []
        var waiting: [String] = []
        for resource in resources {
            waiting += resource.entity.names
            for included in resource.records.included { waiting += included.entity.names }
        }
        while let name = waiting.popLast() {
            guard used.insert(name).inserted else { continue }
            waiting += entities.first { $0.name == name }?.relations.map(\.entity) ?? []
        }
        return used
    }
}
