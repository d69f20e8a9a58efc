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
/// Attributes and relationships are sent that a request descriptor of the manager for the entity can send, or
/// without one its default mapping. The identity and the version are not edits. A to-many relationship is sent if
/// it has a join table: others are the to-one relationships of their members.
public struct Sends<Object: ManagedEntity>: Sendable {
    private var precondition = Precondition<Object>.none
    private var creation = CreationRule.atMostOnce
    private var updateMethod = HTTPRequest.Method.patch
    private var policy: ObjectConflictPolicy<Object>?
    /// The functions of properties, by name.
    private var combinations: [String: PropertyCombination] = [:]
    /// The requests of members, by relationship.
    private var memberRequests: [String: MemberRequests] = [:]
    /// The relationships whose members are replaced without a precondition.
    private var overwrittenMembers: Set<String> = []
    private var isQueued = true
    /// The meanings of answers.
    var answers: [AnswerRule] = []
    /// A Boolean value that indicates whether the version only grows.
    var isMonotonic = false

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
    /// - Parameter policy: The policy; that of the configuration is the default.
    /// - Returns: The declaration.
    public func merging(_ policy: ObjectConflictPolicy<Object>) -> Self {
        var copy = self
        copy.policy = policy
        return copy
    }

    /// Returns a declaration with a policy for one attribute that the server has changed as well.
    ///
    /// ```swift
    /// Sends(Note.self).merging(\.text, .text)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The attribute.
    ///   - policy: The policy, which decides before that of the entity.
    /// - Returns: The declaration.
    public func merging<Value: AttributeValue & SendableMetatype>(
        _ path: any KeyPath<Object, Value> & Sendable, _ policy: PropertyConflictPolicy<Value>
    ) -> Self {
        var copy = self
        copy.combinations[Self.name(of: path)] = policy.combine
        return copy
    }

    /// Returns a declaration whose members of a to-many relationship are added and removed by requests of their own.
    ///
    /// - Parameters:
    ///   - path: A relationship with a join table.
    ///   - add: The request that adds a member.
    ///   - remove: The request that removes a member.
    /// - Returns: The declaration.
    public func members<Members>(
        _ path: any KeyPath<Object, Members> & Sendable, add: MemberRequest, remove: MemberRequest
    ) -> Self {
        var copy = self
        copy.memberRequests[Self.name(of: path)] = MemberRequests(add: add, remove: remove)
        return copy
    }

    /// Returns a declaration whose members of a to-many relationship are sent as a whole, also without a
    /// precondition: members that others have added since are lost.
    ///
    /// - Parameter path: A relationship with a join table.
    /// - Returns: The declaration.
    public func overwritingMembers<Members>(
        _ path: any KeyPath<Object, Members> & Sendable
    ) -> Self {
        var copy = self
        copy.overwrittenMembers.insert(Self.name(of: path))
        return copy
    }

    /// Returns a declaration of an entity whose requests must not wait, such as payments.
    ///
    /// Saves of the entity are not sent. `api.post(payment)` and its siblings are sent at once, as without an
    /// outbox, and fail if they cannot be sent now.
    ///
    /// - Returns: The declaration.
    public func notQueued() -> Self {
        var copy = self
        copy.isQueued = false
        return copy
    }

    private static func name(of path: AnyKeyPath) -> String {
        let properties = Object.properties
        return properties.index(of: path).map { properties.properties[$0].name } ?? ""
    }

    fileprivate func declaration(
        in model: ManagedObjectModel, of manager: ObjectManager
    ) throws(OutboxError) -> SentDeclaration {
        guard let layout = try? model.layout(of: Object.self) else {
            throw OutboxError(
                .invalidDeclaration, "\(Object.self) is not in the model of the store")
        }
        let condition = precondition.compiled
        let version = condition.property
        if let version, layout.column(ofProperty: version) == nil {
            throw OutboxError(
                .invalidDeclaration, "the version of \(layout.name) is not one of its attributes")
        }
        if isMonotonic, version == nil {
            throw OutboxError(
                .invalidDeclaration, "\(layout.name) has no declared version that could grow")
        }
        var excluded = Set(layout.identity.map { layout.columns[$0].name })
        if creation.isOfClientIdentity { excluded = [] }
        if let version { excluded.insert(version) }
        let sendable = Self.sentProperties(layout.name, by: manager).subtracting(excluded)
        var properties: Set<String> = []
        var references: [String: SentEntity.Reference] = [:]
        let members = try members(
            among: sendable, of: layout, in: model, isConditional: condition != .none)
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
        if let recognizer = creation.recognizer {
            let column = layout.column(ofProperty: recognizer.property)
            let kind = column.map { layout.columns[$0].type.kind }
            guard properties.contains(recognizer.property), kind == .integer || kind == .text else {
                throw OutboxError(
                    .invalidDeclaration,
                    "new objects of \(layout.name) are not recognized by a sent text or integer")
            }
        }
        guard !layout.identity.isEmpty else {
            throw OutboxError(
                .invalidDeclaration,
                "\(layout.name) has no identity, by which the answers of the server are recognized")
        }
        return SentDeclaration(
            entity: SentEntity(
                layout.name, properties: properties, references: references, members: members,
                creation: creation.remedy, isConditional: condition != .none,
                isMonotonic: isMonotonic,
                ancestors: Self.ancestors(of: layout, in: model)),
            type: Object.self, precondition: condition, answers: answers, creation: creation,
            updateMethod: updateMethod, policy: try policy?.policy(layout),
            combinations: combinations, memberRequests: memberRequests, isQueued: isQueued,
            canFork: layout.identity.allSatisfy { !layout.columns[$0].isRequired })
    }

    /// Returns the relationships with join tables that are sent.
    ///
    /// - Throws: ``OutboxError`` with code `invalidDeclaration` if members would be overwritten, or a name is not
    ///   that of such a relationship.
    private func members(
        among sendable: Set<String>, of layout: EntityLayout, in model: ManagedObjectModel,
        isConditional: Bool
    ) throws(OutboxError) -> [String: SentEntity.Members] {
        let declared = Set(memberRequests.keys).union(overwrittenMembers)
        for name in declared.sorted() where layout.linkEnd(ofProperty: name) == nil {
            throw OutboxError(
                .invalidDeclaration,
                "\(name.isEmpty ? "a property" : name) of \(layout.name) is no relationship with a "
                    + "join table, whose members could be sent")
        }
        var members: [String: SentEntity.Members] = [:]
        for name in sendable.union(declared) {
            guard layout.linkEnd(ofProperty: name) != nil,
                case .relationship(let index) = layout.propertyIndices[name]
            else { continue }
            let isMemberwise = memberRequests[name] != nil
            guard isMemberwise || isConditional || overwrittenMembers.contains(name) || !isQueued
            else {
                throw OutboxError(
                    .invalidDeclaration,
                    "sending all members of \(layout.name).\(name) would remove those of others: "
                        + "declare a precondition, members(_:add:remove:) or overwritingMembers(_:)"
                )
            }
            members[name] = SentEntity.Members(
                destination: model.layouts[layout.relationships[index].destination].name,
                isMemberwise: isMemberwise)
        }
        return members
    }

    private static func ancestors(
        of layout: EntityLayout, in model: ManagedObjectModel
    ) -> Set<String> {
        var names: Set<String> = []
        var next = layout.superentity
        while let index = next {
            names.insert(model.layouts[index].name)
            next = model.layouts[index].superentity
        }
        return names
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
    let precondition: CompiledPrecondition
    /// The meanings of answers.
    let answers: [AnswerRule]
    let creation: CreationRule
    let updateMethod: HTTPRequest.Method
    /// The policy for conflicts; `nil` for that of the outbox.
    private let objectPolicy: EditPolicy?
    private let combinations: [String: PropertyCombination]
    /// A Boolean value that indicates whether a new object needs no identity.
    private let canFork: Bool
    /// The requests of members, by relationship.
    let memberRequests: [String: MemberRequests]
    /// A Boolean value that indicates whether saves are sent.
    let isQueued: Bool

    init(
        entity: SentEntity, type: any ManagedEntity.Type, precondition: CompiledPrecondition,
        answers: [AnswerRule], creation: CreationRule, updateMethod: HTTPRequest.Method,
        policy: EditPolicy?, combinations: [String: PropertyCombination],
        memberRequests: [String: MemberRequests], isQueued: Bool, canFork: Bool
    ) {
        self.canFork = canFork
        self.entity = entity
        self.type = type
        self.precondition = precondition
        self.answers = answers
        self.creation = creation
        self.updateMethod = updateMethod
        objectPolicy = policy
        self.combinations = combinations
        self.memberRequests = memberRequests
        self.isQueued = isQueued
    }

    /// The attribute with the version; `nil` for none.
    var versionProperty: String? { precondition.property }

    /// Returns the policy for conflicts.
    ///
    /// - Parameter general: The policy of the outbox.
    /// - Returns: The policy of the entity, with the functions of its properties.
    func policy(_ general: EditPolicy) -> EditPolicy {
        var policy = objectPolicy ?? general
        if policy.isFork, !canFork { policy = .contextWins }
        policy.properties = combinations
        return policy
    }
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
