// SPDX-License-Identifier: Apache-2.0

// The conditions that an attribute is one of several, as Swift writes them.

extension FetchAttribute {
    /// Returns a predicate that matches if an optional attribute has one of several values.
    public func isIn<Wrapped: AttributeValue>(
        _ values: some Sequence<Wrapped>
    ) -> FetchPredicate where Value == Wrapped? {
        FetchPredicate(term: .isIn(expression, Set(values.map(\.storedValue))))
    }
}

extension Sequence where Element: AttributeValue {
    /// Returns a predicate that matches if an attribute has one of the values.
    ///
    /// `["OSL", "BGO"].contains($0.code)` is `$0.code.isIn(["OSL", "BGO"])`.
    public func contains(_ attribute: FetchAttribute<Element>) -> FetchPredicate {
        attribute.isIn(self)
    }

    /// Returns a predicate that matches if an optional attribute has one of the values.
    public func contains(_ attribute: FetchAttribute<Element?>) -> FetchPredicate {
        attribute.isIn(self)
    }
}

extension Range where Bound: AttributeValue {
    /// Returns a predicate that matches if an attribute is in the range.
    public func contains(_ attribute: FetchAttribute<Bound>) -> FetchPredicate {
        attribute >= lowerBound && attribute < upperBound
    }

    /// Returns a predicate that matches if an optional attribute is in the range.
    public func contains(_ attribute: FetchAttribute<Bound?>) -> FetchPredicate {
        attribute >= lowerBound && attribute < upperBound
    }
}

extension ClosedRange where Bound: AttributeValue {
    /// Returns a predicate that matches if an attribute is in the range.
    public func contains(_ attribute: FetchAttribute<Bound>) -> FetchPredicate {
        attribute >= lowerBound && attribute <= upperBound
    }

    /// Returns a predicate that matches if an optional attribute is in the range.
    public func contains(_ attribute: FetchAttribute<Bound?>) -> FetchPredicate {
        attribute >= lowerBound && attribute <= upperBound
    }
}
