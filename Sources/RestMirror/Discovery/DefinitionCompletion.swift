// SPDX-License-Identifier: Apache-2.0

public import Foundation
import GRDB
public import RestDefinition
public import RestDocument
public import RestTransport

/// The completion of a definition whose attributes are found in records: the first response of each resource
/// shows them.
///
/// The file of the mirror stores the attributes that were found, so that later runs need no samples, and no column
/// is lost because a sample lacks it.
public struct DefinitionCompletion: Sendable {
    private let definition: Definition
    private let transport: any HTTPTransport
    private let secrets: SecretReader
    private let clock: any TransportClock
    private let budgets: RequestBudgets
    private let formats: FormatRegistry
    private let allowance: RequestAllowance

    /// Creates a completion.
    ///
    /// - Parameters:
    ///   - definition: The definition.
    ///   - transport: The transport of requests.
    ///   - secrets: The reader of secrets.
    ///   - clock: The clock.
    ///   - budgets: The requests to hosts, which mirrors share.
    ///   - formats: The formats of bodies that are neither JSON nor CSV.
    ///   - allowance: The requests that the completion may send; pass it to
    ///     ``APIMirror/run(within:reporting:)`` as well. `nil` for the ceiling of the definition, if it has one.
    public init(
        of definition: Definition, over transport: any HTTPTransport,
        secrets: SecretReader = SecretReader(environment: [:]),
        clock: any TransportClock = .system, budgets: RequestBudgets = .process,
        formats: FormatRegistry = .standard, allowance: RequestAllowance? = nil
    ) {
        self.definition = definition
        self.transport = transport
        self.secrets = secrets
        self.clock = clock
        self.budgets = budgets
        self.formats = formats
        self.allowance =
            allowance ?? RequestAllowance(RequestLimit(definition.api.budget.ceiling))
    }

    /// Returns the number of requests that the completion is expected to send: one for each resource, or none.
    ///
    /// - Parameter url: The file of the mirror, which need not exist.
    /// - Returns: The number.
    /// - Throws: ``MirrorError`` with code `notAMirror`.
    public func expectedRequestCount(for url: URL) throws(MirrorError) -> Int {
        try isNeeded(for: url) ? definition.resources.count : 0
    }

    /// Returns a Boolean value that indicates whether the file does not have the completed definition.
    private func isNeeded(for url: URL) throws(MirrorError) -> Bool {
        guard EntityCompletion.isNeeded(by: definition) else { return false }
        guard try MirrorStatus.definition(storedIn: url) != nil else { return true }
        let source = try DatabaseFile(url).read { database in
            try MirrorTables(database: database).fact(MirrorTables.sourceFact)
        }
        return source != JSONWriter.compact.text(of: definition.json())
    }

    /// Returns the definition with all attributes and types.
    ///
    /// - Parameter url: The file of the mirror, which need not exist.
    /// - Returns: The definition, which is the stored one if the file has it.
    /// - Throws: ``MirrorError`` with code `missingSecret`, `invalidDefinition`, `notAMirror` or
    ///   `ceilingReached`; `CancellationError`. A resource that has no response is left as it is.
    public func completed(for url: URL) async throws -> Definition {
        guard EntityCompletion.isNeeded(by: definition) else { return definition }
        let stored = try MirrorStatus.definition(storedIn: url)
        if let stored, try !isNeeded(for: url) { return stored }
        var completion = EntityCompletion(definition)
        let client = try MirrorClient(definition, transport, clock, secrets)
        var samples: [String: Node] = [:]
        for resource in try ResourceOrder.levels(of: definition).flatMap(\.self) {
            try Task.checkCancellation()
            do {
                if let record = try await sample(resource, client, samples, &completion) {
                    samples[resource.name] = record
                }
            } catch let error as MirrorError {
                // The run reports what else is wrong with the resource.
                if error.code == .ceilingReached { throw ceilingReached(at: resource.name) }
            }
        }
        if let stored { completion.keep(stored) }
        return completion.finish()
    }

    private func ceilingReached(at resource: String) -> MirrorError {
        MirrorError(
            .ceilingReached, resource: resource,
            details: [
                "the attributes of \(definition.resources.count) resources are found by a request for each, and "
                    + "the ceiling does not suffice for them; raise it, or write the attributes into the definition"
            ])
    }

    /// Adds the records of the first response of a resource.
    ///
    /// - Returns: The first record, with which the resources are sampled whose parent the resource is.
    private func sample(
        _ resource: ResourceDefinition, _ client: MirrorClient, _ samples: [String: Node],
        _ completion: inout EntityCompletion
    ) async throws -> Node? {
        let pagination = resource.pagination ?? definition.api.pagination
        let composer = RequestComposer(
            api: definition.api, resource: resource,
            pagination: pagination ?? PaginationDefinition(.singlePage), base: client.base,
            secrets: client.secrets)
        guard let parents = parents(of: resource, samples) else { return nil }
        var interval = RequestInterval.everything
        if let cursor = resource.cursor {
            let now = clock.date.timeIntervalSince1970
            interval.start = cursor.initialValue?.description
            interval.end = CursorFormat(cursor).text(seconds: now, like: interval.start)
        }
        let requester = PageRequester(
            client: client.client,
            budget: budgets.budget(of: definition.api, at: client.base, clock: clock),
            resource: resource, rules: resource.responses + definition.api.responses,
            format: BodyFormat(
                format: resource.format ?? definition.api.format, formats: formats),
            report: { _ in }, renewal: client.renewal, allowance: allowance)
        let request = try composer.request(for: .first, parents, interval)
        let fetched = try await requester.fetch(
            request, unless: nil, hasParents: !resource.parents.isEmpty, hasInterval: false)
        guard case .document(let document) = fetched.content else { return nil }
        let records = try PageRecords(in: document, by: resource.records)
        add(records.elements, of: resource.entity, to: &completion)
        for included in resource.records.included {
            guard let node = document.root[included.path] else { continue }
            add(Array(node.elements), of: included.entity, to: &completion)
        }
        return records.elements.first
    }

    private func add(
        _ records: [Node], of selection: EntitySelection, to completion: inout EntityCompletion
    ) {
        func list(_ records: [Node]) -> Document {
            var builder = DocumentBuilder()
            builder.beginArray()
            for record in records where record.kind == .object { builder.value(record) }
            builder.end()
            return builder.finish()
        }
        switch selection {
        case .one(let name): completion.add(list(records), of: name)
        case .byValue(let typed):
            for selected in typed.cases {
                let own = records.filter { record in
                    record[typed.path].flatMap { ScalarValue($0) }?.description == selected.value
                }
                completion.add(list(own), of: selected.entity)
            }
        }
    }

    /// Returns the values of the parents of a sample; `nil` if no sample of a parent has them.
    private func parents(
        of resource: ResourceDefinition, _ samples: [String: Node]
    ) -> ParentRecord? {
        var parents = ParentRecord()
        for parent in resource.parents {
            switch parent.source {
            case .query: return nil
            case .values(let values):
                parents[parent.name, DocumentPath([.key("value")])] = values.first
            case .resource(let name):
                guard let record = samples[name] else { return nil }
                for (reference, path) in resource.path.references
                    + resource.parameters.flatMap(\.value.references)
                where reference == parent.name {
                    parents[parent.name, path] = record[path].flatMap { ScalarValue($0) }
                }
            }
        }
        return parents
    }
}
