// SPDX-License-Identifier: Apache-2.0

extension AnyValueTransform {
    /// A transform between arrays and sets; duplicates collapse, and the order of a set is
    /// undefined.
    public static let arraySet = collections("array/set", with: .set)

    /// A transform between arrays and arrays of distinct elements; duplicates collapse and the
    /// order is kept.
    public static let arrayDistinctArray = collections(
        "array/distinct array", with: .distinctArray)

    /// A transform from a single value to a collection with one element; a dictionary is one value.
    public static let collectionOfOne = AnyValueTransform(
        "collection of one",
        [
            Direction(
                input: .any.subtracting(.collections), output: .collections,
                isPair: { input, output in
                    let element = (output as? any CollectionType.Type)?.elementType
                    return input != Never?.self && (element == input || element == Any.self)
                },
                convert: { value, output in
                    guard let value, let type = output as? any CollectionType.Type else {
                        return .failed
                    }
                    return Outcome(type.collection(of: [value]))
                })
        ])

    private static func collections(
        _ name: String, with shape: CollectionShape
    ) -> AnyValueTransform {
        let types = TypeSet { type in
            guard let type = type as? any CollectionType.Type else { return false }
            return type.shape == .array || type.shape == shape
        }
        return AnyValueTransform(
            name,
            [
                Direction(
                    input: types, output: types,
                    isPair: { input, output in
                        let input = (input as? any CollectionType.Type)?.shape
                        return input != (output as? any CollectionType.Type)?.shape
                    },
                    convert: { value, output in
                        guard let elements = (value as? any CollectionType)?.anyElements,
                            let type = output as? any CollectionType.Type
                        else { return .failed }
                        return Outcome(type.collection(of: elements))
                    })
            ])
    }
}

extension TypeSet {
    /// The arrays, sets and arrays of distinct elements.
    fileprivate static let collections = TypeSet { $0 is any CollectionType.Type }
}
