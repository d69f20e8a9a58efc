// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import RestMapping
import RestNetworking
import RestOutbox
public import RestPersistence

/// The declaration that the edits of an entity are sent, and how.
///
/// ```swift
/// Sends(Note.self)
///     .precondition(.version(\.revision))
///     .creation(.idempotencyKey(lifetime: .seconds(24 * 3600)))
/// ```
///
/// Attributes and to-one relationships are sent that a request descriptor of the manager for the entity can
/// send, or without one its default mapping. The identity and the version are not edits.
public struct Sends<Object: ManagedEntity>: Sendable {
    private var precondition = Precondition<Object>.none
    private var creation = CreationRule.atMostOnce
    private var updateMethod = HTTPRequest.Method.patch
    private var policy: MergePolicy?

    /// Creates a declaration: updates are PATCH requests without a precondition, and a creation whose answer is
    /// lost is not sent again.
    public init(_ type: Object.Type) {}

    /// Returns a declaration with a precondition of updates and deletions.
    public func precondition(_ precondition: Precondition<Object>) -> Self {
        var copy = self
        copy.precondition = precondition
        return copy
    }

    /// Returns a declaration with a remedy for creations whose answer is lost.
    public func creation(_ rule: CreationRule) -> Self {
        var copy = self
        copy.creation = rule
        return copy
    }

    /// Returns a declaration whose updates have another method.
    ///
    /// - Parameter method: PATCH, which sends the edits only, or PUT, which sends all values.
    /// - Returns: The declaration.
    public func updates(by method: HTTPRequest.Method) -> Self {
        var copy = self
        copy.updateMethod = method
        return copy
    }

    /// Returns a declaration with a policy for properties that the server has changed as well.
    ///
    /// - Parameter policy: `contextWins` keeps the edit, which is the default; `storeWins` takes the value of
    ///   the server; `fail` leaves the decision to the user.
    /// - Returns: The declaration.
    public func merging(_ policy: MergePolicy) -> Self {
        var copy = self
        copy.policy = policy
        return copy
    }

    fileprivate func declaration(
        in model: ManagedObjectModel, of manager: ObjectManager
    ) throws(OutboxError) -> SentDeclaration {
        guard let layout = try? model.layout(of: Object.self) else {
            throw OutboxError(
                .invalidDeclaration, "\(Object.self) is not in the model of the store")
        }
        let version = precondition.property
        if let version, layout.column(ofProperty: version) == nil {
            throw OutboxError(
                .invalidDeclaration, "the version of \(layout.name) is not one of its attributes")
        }
        var excluded = Set(layout.identity.map { layout.columns[$0].name })
        if creation.isOfClientIdentity { excluded = [] }
        if let version { excluded.insert(version) }
        let sendable = Self.sentProperties(layout.name, by: manager).subtracting(excluded)
        var properties: Set<String> = []
        var references: [String: SentEntity.Reference] = [:]
        for property in sendable {
            guard let column = layout.column(ofProperty: property) else { continue }
            properties.insert(property)
            guard let destination = layout.columns[column].destination else { continue }
            references[property] = SentEntity.Reference(
                destination: model.layouts[destination].name,
                isRequired: layout.columns[column].isRequired)
        }
        guard !properties.isEmpty else {
            throw OutboxError(
                .invalidDeclaration, "no request descriptor sends an attribute of \(layout.name)")
        }
        guard !layout.identity.isEmpty else {
            throw OutboxError(
                .invalidDeclaration,
                "\(layout.name) has no identity, by which the answers of the server are recognized")
        }
        return SentDeclaration(
            entity: SentEntity(
                layout.name, properties: properties, references: references,
                creation: creation.remedy, isConditional: version != nil, policy: policy),
            type: Object.self, versionProperty: version,
            sendsVersionInField: precondition.isField, creation: creation,
            updateMethod: updateMethod)
    }

    /// Returns the names of the properties that the request mappings for an entity write.
    private static func sentProperties(_ entity: String, by manager: ObjectManager) -> Set<String> {
        let own = manager.requestDescriptors.filter { $0.mapping.table.name == entity }
        if own.isEmpty { return names(RequestMapping(for: Object.self)) }
        return own.reduce(into: []) { names, descriptor in
            switch descriptor.mapping {
            case .request(let mapping): names.formUnion(self.names(mapping))
            case .dynamic(let mapping): names.formUnion(mapping.table.properties.map(\.name))
            case .codable: break
            }
        }
    }

    private static func names(_ mapping: RequestMapping) -> Set<String> {
        Set(
            mapping.propertyMappings.map { property in
                let source =
                    switch property {
                    case .attribute(let attribute): attribute.source
                    case .relationship(let relationship): relationship.source
                    }
                return String(source.prefix { $0 != "." })
            })
    }
}

/// The declarations of an outbox, which a block of ``Sends`` makes.
public struct SentEntities: Sendable {
    /// Returns the declarations for a model and the request descriptors of a manager.
    let declarations:
        @Sendable (ManagedObjectModel, ObjectManager) throws(OutboxError) -> [SentDeclaration]
}

/// The declaration of an entity, compiled for a model.
struct SentDeclaration: Sendable {
    let entity: SentEntity
    let type: any ManagedEntity.Type
    let versionProperty: String?
    /// A Boolean value that indicates whether the version is sent as `If-Match`, and not in the body.
    let sendsVersionInField: Bool
    let creation: CreationRule
    let updateMethod: HTTPRequest.Method
}

/// Collects the declarations of an outbox.
@resultBuilder
public enum OutboxBuilder {
    /// Returns the declaration of one entity.
    public static func buildExpression<Object: ManagedEntity>(
        _ declaration: Sends<Object>
    ) -> SentEntities {
        SentEntities { (model, manager) throws(OutboxError) in
            [try declaration.declaration(in: model, of: manager)]
        }
    }

    /// Returns the declarations of a block.
    public static func buildBlock(_ entities: SentEntities...) -> SentEntities {
        SentEntities { (model, manager) throws(OutboxError) in
            var declarations: [SentDeclaration] = []
            for entity in entities {
                declarations += try entity.declarations(model, manager)
            }
            return declarations
        }
    }
}
