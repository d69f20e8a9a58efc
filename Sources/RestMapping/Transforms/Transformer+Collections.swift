// SPDX-License-Identifier: Apache-2.0

extension Transformer {
    /// Between arrays and sets; duplicates collapse, and the order of a set is any.
    public static let arraySet = collections("array/set", with: .set)

    /// Between arrays and arrays of distinct elements; duplicates collapse, the order stays.
    public static let arrayDistinctArray = collections(
        "array/distinct array", with: .distinctArray)

    /// A single value to a collection of one; an object with keys counts as one value.
    public static let collectionOfOne = Transformer(
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
    ) -> Transformer {
        let types = TypeSet { type in
            guard let type = type as? any CollectionType.Type else { return false }
            return type.shape == .array || type.shape == shape
        }
        return Transformer(
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
    /// Arrays, sets and arrays of distinct elements.
    fileprivate static let collections = TypeSet { $0 is any CollectionType.Type }
}
