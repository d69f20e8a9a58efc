// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension Mapping {
    /// Returns a Boolean value that indicates whether two mappings declare the same objects.
    ///
    /// Unlike `==`, this compares policies and options, and compares dynamic mappings by their
    /// matchers instead of by identity. Functions cannot be compared: transforms count as equal if
    /// their names are equal, predicates and selections if they lead to the same mappings.
    package func isEquivalent(to other: Mapping) -> Bool {
        switch (self, other) {
        case (.object(let left), .object(let right)): left.isEquivalent(to: right)
        case (.dynamic(let left), .dynamic(let right)): left.isEquivalent(to: right)
        case (.codable(let left), .codable(let right)):
            left == right && left.policy == right.policy
        default: false
        }
    }
}

extension ObjectMapping {
    fileprivate func isEquivalent(to other: ObjectMapping) -> Bool {
        table.isSame(as: other.table) && policy == other.policy
            && assignsDefaultForMissing == other.assignsDefaultForMissing
            && assignsNilForMissingRelationships == other.assignsNilForMissingRelationships
            && forcesCollection == other.forcesCollection
            && nestingAttribute == other.nestingAttribute
            && validatedProperties == other.validatedProperties
            && propertyMappings.elementsEqual(other.propertyMappings) { $0.isEquivalent(to: $1) }
    }

    private var validatedProperties: Set<String> {
        performsValidation ? Set(validations.keys) : []
    }
}

extension PropertyMapping {
    fileprivate func isEquivalent(to other: PropertyMapping) -> Bool {
        switch (self, other) {
        case (.attribute(let left), .attribute(let right)):
            left == right && left.policy == right.policy
                && left.transform?.name == right.transform?.name
        case (.relationship(let left), .relationship(let right)):
            left.source == right.source && left.destination == right.destination
                && left.assignment == right.assignment
                && areEquivalent(left.mapping, right.mapping)
        default: false
        }
    }

    private func areEquivalent(_ left: Mapping?, _ right: Mapping?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isEquivalent(to: right)
    }
}

extension DynamicMapping {
    fileprivate func isEquivalent(to other: DynamicMapping) -> Bool {
        forcesCollection == other.forcesCollection
            && (selection == nil) == (other.selection == nil)
            && selectable.elementsEqual(other.selectable) { $0.isEquivalent(to: $1) }
            && matchers.elementsEqual(other.matchers) { $0.isEquivalent(to: $1) }
    }
}

extension MappingMatcher {
    fileprivate func isEquivalent(to other: MappingMatcher) -> Bool {
        switch (condition, other.condition) {
        case (.values(let leftPath, let left), .values(let rightPath, let right)):
            leftPath == rightPath
                && left.elementsEqual(right) {
                    $0.value.root == $1.value.root && $0.mapping.isEquivalent(to: $1.mapping)
                }
        case (.kind(let leftPath, let leftKind, let left), .kind(let path, let kind, let right)):
            leftPath == path && leftKind == kind && left.isEquivalent(to: right)
        case (.predicate(_, let left), .predicate(_, let right)):
            left.isEquivalent(to: right)
        case (.selection(let left, _), .selection(let right, _)):
            left.elementsEqual(right) { $0.isEquivalent(to: $1) }
        default: false
        }
    }
}
