// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The objects of a fetch request in the main context of a store, as a property of a view.
///
/// ```swift
/// struct AirportList: View {
///     @Fetched private var airports: [Airport]
///
///     init(_ store: ManagedObjectStore) {
///         _airports = Fetched(in: store, orderBy: \.name)
///     }
///
///     var body: some View { List(airports) { Text($0.name) } }
/// }
/// ```
@MainActor @propertyWrapper
public struct Fetched<Object: ManagedEntity>: DynamicProperty {
    /// The collection of a view, which is created when the view appears and not with every value of the
    /// view's type.
    private final class Holder {
        var collection: FetchedObjects<Object>?
    }

    @State private var holder = Holder()
    private let makeCollection: () -> FetchedObjects<Object>

    /// Creates a property with the parameters of ``FetchedObjects``.
    public init(
        in store: ManagedObjectStore,
        where predicate: @escaping (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering<Object>] = [], limit: Int? = nil
    ) {
        makeCollection = {
            FetchedObjects(in: store, where: predicate, orderBy: orderings, limit: limit)
        }
    }

    /// Creates a property in ascending order of an attribute.
    public init(
        in store: ManagedObjectStore,
        where predicate: @escaping (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy path: any KeyPath<Object, some AttributeValue> & Sendable, limit: Int? = nil
    ) {
        self.init(in: store, where: predicate, orderBy: [.ascending(path)], limit: limit)
    }

    /// The objects.
    public var wrappedValue: [Object] { projectedValue.objects }

    /// The collection, for its phase and ``FetchedObjects/refresh()``.
    public var projectedValue: FetchedObjects<Object> {
        if let collection = holder.collection { return collection }
        let collection = makeCollection()
        holder.collection = collection
        return collection
    }
}
#endif
