// SPDX-License-Identifier: Apache-2.0

/// A type that can stand wherever an ``AnyRequestMapping`` is expected.
///
/// Mappings of responses do not conform, so that a request cannot be described by one.
public protocol RequestMappingConvertible: Sendable {
    /// The mapping as one of any kind.
    var requestMapping: AnyRequestMapping { get }
}

extension AnyRequestMapping: RequestMappingConvertible {
    /// The mapping itself.
    public var requestMapping: AnyRequestMapping { self }
}

extension RequestMapping: RequestMappingConvertible {
    /// The mapping as one of any kind.
    public var requestMapping: AnyRequestMapping { .request(self) }
}

extension DynamicRequestMapping: RequestMappingConvertible {
    /// The mapping as one of any kind.
    public var requestMapping: AnyRequestMapping { .dynamic(self) }
}

extension AnyRequestMapping {
    /// Returns a Boolean value that indicates whether two mappings write the same representations.
    ///
    /// Functions cannot be compared: transforms count as equal if their names are equal, predicates
    /// if they lead to the same mappings.
    package func isEquivalent(to other: AnyRequestMapping) -> Bool {
        switch (self, other) {
        case (.request(let left), .request(let right)): left.isEquivalent(to: right)
        case (.dynamic(let left), .dynamic(let right)):
            left.table.isSame(as: right.table)
                && left.possibleMappings.elementsEqual(right.possibleMappings) {
                    $0.isEquivalent(to: $1)
                }
        case (.codable(let left), .codable(let right)): left == right
        default: false
        }
    }
}

extension RequestMapping {
    fileprivate func isEquivalent(to other: RequestMapping) -> Bool {
        table.isSame(as: other.table) && omitsNil == other.omitsNil && dates == other.dates
            && decimals == other.decimals && nestingAttribute == other.nestingAttribute
            && forcesCollection == other.forcesCollection
            && propertyMappings.elementsEqual(other.propertyMappings) { $0.isEquivalent(to: $1) }
    }
}

extension RequestPropertyMapping {
    fileprivate func isEquivalent(to other: RequestPropertyMapping) -> Bool {
        switch (self, other) {
        case (.attribute(let left), .attribute(let right)):
            left.source == right.source && left.destination == right.destination
                && left.conversionName == right.conversionName
        case (.relationship(let left), .relationship(let right)):
            left.source == right.source && left.destination == right.destination
                && areEquivalent(left.mapping, right.mapping)
        default: false
        }
    }

    private func areEquivalent(_ left: AnyRequestMapping?, _ right: AnyRequestMapping?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isEquivalent(to: right)
    }
}

extension RequestAttribute {
    fileprivate var conversionName: String? {
        switch conversion {
        case .transform(let transform): "transform \(transform.name)"
        case .dates(let format): "dates \(format)"
        case .numericDecimals: "numeric decimals"
        case .ofType: "type"
        case nil: nil
        }
    }
}
