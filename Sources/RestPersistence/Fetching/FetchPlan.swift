// SPDX-License-Identifier: Apache-2.0

/// A fetch request compiled for a model, with indices for names and values of the column types.
struct FetchPlan {
    /// A to-one relationship in a path, which is a join in SQL.
    struct Join {
        /// The join that it continues; `nil` for the fetched entity.
        let parent: Int?
        let relationship: RelationshipLayout
        let entity: Int
    }

    /// A value to compare, at the end of a chain of joins.
    struct Operand {
        enum Leaf {
            case key
            case column(Int)
            case count(RelationshipLayout)
        }

        let join: Int?
        let entity: Int
        let leaf: Leaf
        let type: AttributeType
    }

    indirect enum Condition {
        case constant(Bool)
        case compare(Operand, FetchOperator.Kind, StoredValue)
        case isIn(Operand, Set<StoredValue>)
        case and(Condition, Condition)
        case or(Condition, Condition)
        case not(Condition)
    }

    let model: ManagedObjectModel
    let layout: EntityLayout
    private(set) var joins: [Join] = []
    private(set) var condition = Condition.constant(true)
    private(set) var orderings: [(operand: Operand, isAscending: Bool)] = []
    /// The other entities whose unsaved changes affect the result.
    private(set) var involved: Set<Int> = []
    /// The join tables whose unsaved changes affect the result.
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
        case .isIn(let path, let values):
            let operand = try attribute(path)
            var accepted: Set<StoredValue> = []
            for value in values { accepted.insert(try converted(value, operand, path)) }
            return .isIn(operand, accepted)
        case .object(let path, let id):
            let operand = try object(path)
            guard let id else { return .compare(operand, .equal, .null) }
            guard id.entityName.hasSameBytes(as: model.layouts[operand.entity].name) else {
                throw invalid(path, "is not a relationship to \(id.entityName)")
            }
            return .compare(operand, .equal, .integer(id.key))
        case .and(let left, let right): return .and(try resolve(left), try resolve(right))
        case .or(let left, let right): return .or(try resolve(left), try resolve(right))
        case .not(let term): return .not(try resolve(term))
        }
    }

    /// Returns a value as the column stores it, with integers converted for floating-point columns.
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
        let (join, entity) = try follow(path.names.dropLast(), of: path)
        switch (model.layouts[entity].propertyIndices[path.names.last ?? ""], path.isCount) {
        case (.attribute(let column), false):
            let type = model.layouts[entity].columns[column].type
            return Operand(join: join, entity: entity, leaf: .column(column), type: type)
        case (.relationship(let index), true):
            let relationship = model.layouts[entity].relationships[index]
            guard relationship.isToMany else { throw unknown(path) }
            involve(relationship)
            return Operand(join: join, entity: entity, leaf: .count(relationship), type: .integer)
        default: throw unknown(path)
        }
    }

    private mutating func object(_ path: FetchPath) throws(PersistenceError) -> Operand {
        let (join, entity) = try follow(path.names[...], of: path)
        return Operand(join: join, entity: entity, leaf: .key, type: .integer)
    }

    /// The maximum number of joins in a request; SQLite allows 64 tables.
    private static var maximumJoins: Int { 60 }

    private mutating func follow(
        _ names: ArraySlice<String>, of path: FetchPath
    ) throws(PersistenceError) -> (join: Int?, entity: Int) {
        var join: Int?
        var entity = layout.index
        for name in names {
            guard case .relationship(let index) = model.layouts[entity].propertyIndices[name],
                case let relationship = model.layouts[entity].relationships[index],
                !relationship.isToMany
            else { throw unknown(path) }
            involve(relationship)
            let known = joins.firstIndex {
                $0.parent == join && $0.relationship.index == index && $0.entity == entity
            }
            if known == nil {
                guard joins.count < Self.maximumJoins else {
                    throw PersistenceError(
                        .invalidPredicate, entity: layout.name,
                        details: ["more than \(Self.maximumJoins) relationships are traversed"])
                }
                joins.append(Join(parent: join, relationship: relationship, entity: entity))
            }
            join = known ?? joins.count - 1
            entity = relationship.destination
        }
        return (join, entity)
    }

    private mutating func involve(_ relationship: RelationshipLayout) {
        involved.insert(relationship.destination)
        if case .link(let index, _) = relationship.storage { involvedLinks.insert(index) }
    }

    private func unknown(_ path: FetchPath) -> PersistenceError {
        PersistenceError(.unknownProperty, entity: layout.name, property: path.text)
    }
}
