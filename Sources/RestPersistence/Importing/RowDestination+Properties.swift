// SPDX-License-Identifier: Apache-2.0

import RestMapping

extension RowDestination {
    /// Validates a value as the type of its attribute; the missing value of an attribute that
    /// requires one is not validated.
    @inline(never)
    func validated<Value: AttributeValue>(
        _ stored: StoredValue, as type: Value.Type, _ source: ValueSource
    ) throws(MappingFailure) -> StoredValue? {
        if stored.isNull, !Value.isOptional { return stored }
        guard let value = Value(storedValue: stored) else {
            throw source.failure(.typeMismatch, "a value of the type that is validated")
        }
        return try source.validated(value)?.storedValue
    }

    /// Assigns properties to the related object that the representation contains.
    func fill(_ relationship: Int, _ source: ValueSource) throws(MappingFailure) {
        guard case .row(let member) = batch.member(of: row, entity.layout.index, relationship)
        else {
            let name = entity.layout.relationships[relationship].name
            throw source.failure(
                .missingValue, "a representation of \(name) beside its properties")
        }
        var destination = RowDestination(
            batch: batch, entity: batch.entities[member.entity], row: member.row)
        try source.walk(into: &destination)
        destination.finish()
    }
}
