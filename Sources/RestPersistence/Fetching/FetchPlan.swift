// SPDX-License-Identifier: Apache-2.0

/// A fetch request resolved against a model: names are indices, values have their column's kind.
struct FetchPlan {
    /// One to-one relationship a path goes through, a join of the SQL.
    struct Hop {
        /// The hop it starts from; `nil` for the fetched entity.
        let parent: Int?
        let relationship: RelationshipLayout
        let entity: Int
    }

    /// What is compared: a value at the end of a chain of hops.
    struct Operand {
        enum Leaf {
            case key
            case column(Int)
            case count(RelationshipLayout)
        }

        let hop: Int?
        let entity: Int
        let leaf: Leaf
        let type: AttributeType
    }

    indirect enum Condition {
        case constant(Bool)
        case compare(Operand, FetchOperator.Kind, StoredValue)
        case among(Operand, Set<StoredValue>)
        case both(Condition, Condition)
        case either(Condition, Condition)
        case negated(Condition)
    }

    let model: ManagedObjectModel
    let layout: EntityLayout
    private(set) var hops: [Hop] = []
    private(set) var condition = Condition.constant(true)
    private(set) var orderings: [(operand: Operand, isAscending: Bool)] = []
    /// Other entities whose unsaved changes can decide what is found.
    private(set) var involved: Set<Int> = []
    /// Link tables of which the same is true.
    private(set) var involvedLinks: Set<Int> = []
    let limit: Int?
    let offset: Int

    init(_ request: FetchRequest, in model: ManagedObjectModel) throws(PersistenceError) {
        self.model = model
        layout = try model.layout(named: request.entityName)
        limit = request.limit.map { max(0, $0) }
        offset = max(0, request.offset)
        condition = try resolve(request.predicate.term)
        for ordering in request.orderings {
            orderings.append((try attribute(ordering.path), ordering.isAscending))
        }
    }

    private mutating func resolve(
        _ term: FetchPredicate.Term
    ) throws(PersistenceError) -> Condition {
        switch term {
        case .constant(let value): return .constant(value)
        case .compare(let path, let comparison, let value):
            let operand = try attribute(path)
            return .compare(operand, comparison.kind, try converted(value, operand, path))
        case .among(let path, let values):
            let operand = try attribute(path)
            var accepted: Set<StoredValue> = []
            for value in values { accepted.insert(try converted(value, operand, path)) }
            return .among(operand, accepted)
        case .object(let path, let id):
            let operand = try object(path)
            guard let id else { return .compare(operand, .equal, .null) }
            guard id.entityName.hasSameBytes(as: model.layouts[operand.entity].name) else {
                throw invalid(path, "does not lead to \(id.entityName)")
            }
            return .compare(operand, .equal, .integer(id.key))
        case .both(let left, let right): return .both(try resolve(left), try resolve(right))
        case .either(let left, let right): return .either(try resolve(left), try resolve(right))
        case .negated(let term): return .negated(try resolve(term))
        }
    }

    /// A value as the column holds it: whole numbers also fit where fractions are kept.
    private func converted(
        _ value: StoredValue, _ operand: Operand, _ path: FetchPath
    ) throws(PersistenceError) -> StoredValue {
        if case .integer(let number) = value, operand.type == .double {
            return .double(Double(number))
        }
        guard operand.type.accepts(value) else {
            throw invalid(path, "is compared with a value that is not of type \(operand.type)")
        }
        return value
    }

    private func invalid(_ path: FetchPath, _ problem: String) -> PersistenceError {
        PersistenceError(
            .invalidPredicate, entity: layout.name, property: path.text, details: [problem])
    }

    // MARK: Paths

    private mutating func attribute(_ path: FetchPath) throws(PersistenceError) -> Operand {
        let (hop, entity) = try follow(path.names.dropLast(), of: path)
        switch (model.layouts[entity].propertyIndices[path.names.last ?? ""], path.isCount) {
        case (.attribute(let column), false):
            let type = model.layouts[entity].columns[column].type
            return Operand(hop: hop, entity: entity, leaf: .column(column), type: type)
        case (.relationship(let index), true):
            let relationship = model.layouts[entity].relationships[index]
            guard relationship.isToMany else { throw unknown(path) }
            involve(relationship)
            return Operand(hop: hop, entity: entity, leaf: .count(relationship), type: .integer)
        default: throw unknown(path)
        }
    }

    private mutating func object(_ path: FetchPath) throws(PersistenceError) -> Operand {
        let (hop, entity) = try follow(path.names[...], of: path)
        return Operand(hop: hop, entity: entity, leaf: .key, type: .integer)
    }

    /// Relationships one request may pass; SQLite joins at most 64 tables.
    private static var maximumHops: Int { 60 }

    private mutating func follow(
        _ names: ArraySlice<String>, of path: FetchPath
    ) throws(PersistenceError) -> (hop: Int?, entity: Int) {
        var hop: Int?
        var entity = layout.index
        for name in names {
            guard case .relationship(let index) = model.layouts[entity].propertyIndices[name],
                case let relationship = model.layouts[entity].relationships[index],
                !relationship.isToMany
            else { throw unknown(path) }
            involve(relationship)
            let known = hops.firstIndex {
                $0.parent == hop && $0.relationship.index == index && $0.entity == entity
            }
            if known == nil {
                guard hops.count < Self.maximumHops else {
                    throw PersistenceError(
                        .invalidPredicate, entity: layout.name,
                        details: ["more than \(Self.maximumHops) relationships are passed"])
                }
                hops.append(Hop(parent: hop, relationship: relationship, entity: entity))
            }
            hop = known ?? hops.count - 1
            entity = relationship.destination
        }
        return (hop, entity)
    }

    private mutating func involve(_ relationship: RelationshipLayout) {
        involved.insert(relationship.destination)
        if case .link(let index, _) = relationship.storage { involvedLinks.insert(index) }
    }

    private func unknown(_ path: FetchPath) -> PersistenceError {
        PersistenceError(.unknownProperty, entity: layout.name, property: path.text)
    }
}
