// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMapping

/// The values of the records of a page that do not fit the schema.
struct RecordIssues: Sendable {
    /// The values that are kept apart.
    private(set) var quarantined: [QuarantinedValue] = []
    /// The number of values and records that do not fit, including those that are not reported one by one.
    private(set) var count = 0
    /// The first of them, without values.
    private(set) var first: String?
    /// The attributes whose type the schema can widen, by entity.
    private(set) var retyped: [String: Set<String>] = [:]
    /// The attributes that the schema can make optional, by entity.
    private(set) var missing: [String: Set<String>] = [:]
    /// The first problem that the schema, which is frozen, refuses.
    private(set) var refusal: String?

    private let definition: Definition
    private let identity: RecordIdentity

    init(_ definition: Definition, _ resource: ResourceDefinition) {
        self.definition = definition
        identity = RecordIdentity(of: resource, definition)
    }

    /// Adds the issues of a mapping.
    ///
    /// - Parameters:
    ///   - report: The report of the mapping.
    ///   - node: The records, or the only one.
    ///   - isRoot: A Boolean value that indicates whether they are the records of the resource.
    mutating func add(_ report: MappingReport, of node: Node, isRoot: Bool) {
        var known = 0
        for issue in report.issues {
            guard let kind = Kind(issue.code) else {
                known += 1
                continue
            }
            add(issue, kind, node, isRoot: isRoot)
        }
        count += report.issueCount - known
    }

    /// Adds values at keys that the definition does not describe.
    mutating func add(unknown values: [QuarantinedValue]) {
        quarantined += values
        count += values.count
        if first == nil { first = values.first.map { "\($0.entity).\($0.path) unknownKey" } }
    }

    private mutating func add(
        _ issue: MappingIssue, _ kind: Kind, _ node: Node, isRoot: Bool
    ) {
        let place = "\(issue.mapping).\(issue.property ?? "") \(issue.code)"
        if first == nil { first = place }
        let entity = definition.entity(named: issue.mapping)
        let policy = entity?.schema ?? definition.schema
        switch kind.mode(of: policy) {
        case .freeze:
            if refusal == nil {
                refusal =
                    "\(place): expected \(issue.expected), found \(issue.found), and the schema is frozen"
            }
        case .evolve:
            if let property = issue.property {
                if kind == .missing {
                    missing[issue.mapping, default: []].insert(property)
                } else {
                    retyped[issue.mapping, default: []].insert(property)
                }
            }
        case .quarantine: break
        }
        var rest = issue.path.components
        var element = 0
        var record = node
        if node.kind == .array, case .index(let index)? = rest.first {
            element = index
            record = node[index] ?? node
            rest.removeFirst()
        }
        // A record that lacks a value is kept as a whole.
        let value = kind == .missing ? record : record[DocumentPath(rest)] ?? record
        quarantined.append(
            QuarantinedValue(
                entity: issue.mapping, identity: isRoot ? identity.text(of: record) : nil,
                element: element,
                path: (issue.property.map { kind == .missing ? $0 : nil } ?? nil)
                    ?? DocumentPath(rest).description,
                expected: issue.expected, value: QuarantinedValue.text(of: value)))
    }

    /// A kind of value that a schema does not describe.
    private enum Kind {
        case unknown
        case missing
        case retyped

        /// Creates the kind of an issue; `nil` for an issue that is not about a value.
        init?(_ code: MappingIssue.Code) {
            switch code {
            case .missingDestination, .ambiguousIdentity, .severalKeys, .conflictingEntity:
                return nil
            case .missingValue, .nullValue, .missingIdentity, .unmappable: self = .missing
            case .undetermined: self = .unknown
            default: self = .retyped
            }
        }

        func mode(of policy: SchemaPolicy) -> SchemaPolicy.Mode {
            switch self {
            case .unknown: policy.unknown
            case .missing: policy.missing
            case .retyped: policy.retyped
            }
        }
    }
}

/// The identity of the records of a resource, as text.
struct RecordIdentity: Sendable {
    private let resource: ResourceDefinition
    private let definition: Definition

    init(of resource: ResourceDefinition, _ definition: Definition) {
        self.resource = resource
        self.definition = definition
    }

    /// Returns the values that identify a record, as JSON: one value, or a list; `nil` if it has none.
    func text(of record: Node) -> String? {
        let name: String? =
            switch resource.entity {
            case .one(let name): name
            case .byValue(let typed):
                typed.cases.first { selected in
                    record[typed.path].flatMap { ScalarValue($0) }?.description == selected.value
                }?.entity
            }
        guard let entity = name.flatMap({ definition.entity(named: $0) }) else { return nil }
        let values = entity.identity.compactMap { name -> String? in
            let path = entity.attribute(named: name)?.path ?? DocumentPath([.key(name)])
            guard let node = record[path], !node.isNull else { return nil }
            return JSONWriter.compact.text(of: node)
        }
        if values.isEmpty { return nil }
        return values.count == 1 ? values[0] : "[\(values.joined(separator: ","))]"
    }
}

/// A value that the schema has no place for.
struct QuarantinedValue: Sendable, Equatable {
    /// The name of the entity.
    var entity: String
    /// The identity of the record, as JSON; `nil` if it has none.
    var identity: String?
    /// The position of the record in its page.
    var element: Int
    /// The path in the record.
    var path: String
    /// A description of a value that fits.
    var expected: String
    /// The value, as JSON; `nil` if it is too large to be kept.
    var value: String?

    /// The size in bytes of the largest value that is kept.
    static let maximumByteCount = 65_536

    static func text(of node: Node) -> String? {
        let text = JSONWriter.compact.text(of: node)
        return text.utf8.count <= maximumByteCount ? text : nil
    }
}
