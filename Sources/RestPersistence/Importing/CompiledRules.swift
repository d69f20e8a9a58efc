// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The rules of an entity compiled for a model.
struct CompiledRules: Sendable {
    /// A connection with columns in place of names.
    struct CompiledConnection: Sendable {
        enum Rule: Sendable {
            case columns([(source: Int, destination: Int)])
            case path([RelationshipLayout])
        }

        let description: Connection
        let relationship: RelationshipLayout
        let rule: Rule
    }

    /// The columns of the identification attributes.
    var identity: [Int]
    /// A Boolean value that indicates whether no existing object is found or reused.
    var insertsAllObjects = false
    var identificationPredicate: FetchPredicate?
    var identificationCondition: (@Sendable (Node) -> FetchPredicate?)?
    var modification: Int?
    var mapsRelationshipsOfUnmodified = false
    var deletionPredicate: FetchPredicate?
    var connections: [CompiledConnection] = []
    /// The treatment of plain values of relationships to which there is no object, by index.
    private var missingDestinations: [MissingDestination?] = []

    /// Returns the treatment of plain values of a relationship to which there is no object; `nil` if
    /// plain values are objects.
    func missing(_ relationship: Int) -> MissingDestination? { missingDestinations[relationship] }

    /// Compiles the rules of an entity, and appends errors to the diagnostics.
    init(
        _ rules: EntityRules?, of layout: EntityLayout, in model: ManagedObjectModel,
        _ diagnostics: inout [String]
    ) {
        identity = layout.identity
        missingDestinations = layout.relationships.map { $0.reference?.missing }
        guard let rules else { return }
        identificationPredicate = rules.identificationPredicate
        identificationCondition = rules.identificationCondition
        mapsRelationshipsOfUnmodified = rules.mapsRelationshipsOfUnmodified
        deletionPredicate = rules.deletionPredicate
        insertsAllObjects = rules.insertsAllObjects
        if insertsAllObjects {
            identity = []
        } else if let names = rules.identification {
            if names.isEmpty {
                diagnostics.append(
                    "the identification of \(layout.name) names no attribute: use nil for the "
                        + "declared ones, or set insertsAllObjects")
            }
            identity = names.compactMap { Self.column($0, of: layout, &diagnostics) }
        } else if identity.isEmpty, rules.infersIdentification {
            let names = layout.propertyIndices.compactMap { name, index in
                if case .attribute = index { name } else { nil }
            }
            if let name = layout.description.inferredIdentification(among: Set(names)),
                case .attribute(let column) = layout.propertyIndices[name]
            {
                identity = [column]
            }
        }
        modification = rules.modificationAttribute.flatMap {
            Self.column($0, of: layout, &diagnostics)
        }
        for (name, missing) in rules.missingDestinations {
            if let relationship = Self.relationship(name, of: layout, &diagnostics) {
                missingDestinations[relationship.index] = missing
            }
        }
        for connection in rules.connections {
            if connections.contains(where: { $0.relationship.name == connection.relationship }) {
                diagnostics.append(
                    "\(layout.name).\(connection.relationship) has several connections")
            } else if let compiled = Self.compile(connection, layout, model, &diagnostics) {
                connections.append(compiled)
            }
        }
    }

    private static func column(
        _ name: String, of layout: EntityLayout, _ diagnostics: inout [String]
    ) -> Int? {
        if case .attribute(let column) = layout.propertyIndices[name] { return column }
        diagnostics.append("\(layout.name).\(name) is not an attribute")
        return nil
    }

    private static func relationship(
        _ name: String, of layout: EntityLayout, _ diagnostics: inout [String]
    ) -> RelationshipLayout? {
        if case .relationship(let index) = layout.propertyIndices[name] {
            return layout.relationships[index]
        }
        diagnostics.append("\(layout.name).\(name) is not a relationship")
        return nil
    }

    private static func compile(
        _ connection: Connection, _ layout: EntityLayout, _ model: ManagedObjectModel,
        _ diagnostics: inout [String]
    ) -> CompiledConnection? {
        guard let relationship = relationship(connection.relationship, of: layout, &diagnostics)
        else { return nil }
        let destination = model.layouts[relationship.destination]
        switch connection.rule {
        case .attributes(let attributes):
            guard !attributes.isEmpty else {
                diagnostics.append(
                    "connection of \(layout.name).\(connection.relationship) has no attributes")
                return nil
            }
            var columns: [(source: Int, destination: Int)] = []
            for pair in attributes {
                let own = column(pair.source, of: layout, &diagnostics)
                let other = column(pair.destination, of: destination, &diagnostics)
                if let own, let other { columns.append((own, other)) }
            }
            return CompiledConnection(
                description: connection, relationship: relationship, rule: .columns(columns))
        case .path(let names):
            var path: [RelationshipLayout] = []
            var current = layout
            for name in names {
                guard let step = self.relationship(name, of: current, &diagnostics) else {
                    return nil
                }
                path.append(step)
                current = model.layouts[step.destination]
            }
            guard !path.isEmpty, destination.includes(current.index) else {
                diagnostics.append(
                    "path \(names.joined(separator: ".")) of \(layout.name) does not lead to "
                        + "\(destination.name)")
                return nil
            }
            return CompiledConnection(
                description: connection, relationship: relationship, rule: .path(path))
        }
    }
}
