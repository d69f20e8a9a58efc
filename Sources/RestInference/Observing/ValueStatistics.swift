// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Facts about the values at a place, which grow with each observed value and are bounded.
struct ValueStatistics: Sendable {
    /// The maximum depth of observed objects; deeper ones are JSON.
    static let maximumDepth = 12

    /// The number of values, with null.
    private(set) var count = 0
    private(set) var nullCount = 0
    private(set) var booleanCount = 0
    private(set) var numbers = NumberStatistics()
    private(set) var texts = TextStatistics()
    private(set) var objectCount = 0
    private(set) var arrayCount = 0
    /// The hashed scalars, as references to other objects.
    private(set) var sample = ValueSample()
    /// The last components of URLs, hashed, with the component before them.
    private(set) var components = ValueSample()
    /// The components before the last ones of URLs, such as `films`, up to four.
    private(set) var collections: [String] = []
    /// The origin, the first component and the number of components of URLs, up to four.
    private(set) var patterns: [String] = []
    /// Distinct short texts, up to four, which name types.
    private(set) var examples: [String] = []
    /// The facts about the objects; empty or one element, so that the type can contain itself.
    private(set) var objects: [ObjectStatistics] = []
    /// The facts about the elements of all arrays; empty or one element.
    private(set) var elements: [ValueStatistics] = []

    /// The number of texts and numbers.
    var scalarCount: Int { numbers.count + texts.count }

    mutating func observe(_ view: NodeView, depth: Int, merging: Set<String> = []) {
        count += 1
        switch view.kind {
        case .null: nullCount += 1
        case .true, .false: booleanCount += 1
        case .string, .escapedString: observe(text: view.string() ?? "")
        case .array:
            arrayCount += 1
            guard depth < Self.maximumDepth else { return }
            if elements.isEmpty { elements.append(ValueStatistics()) }
            for element in view.elements { elements[0].observe(element, depth: depth + 1) }
        case .object:
            objectCount += 1
            guard depth < Self.maximumDepth else { return }
            if objects.isEmpty { objects.append(ObjectStatistics()) }
            objects[0].observe(view, depth: depth + 1, merging: merging)
        default:
            numbers.observe(view)
            sample.insert(ValueHash.of(view.numberText ?? ""))
        }
    }

    private mutating func observe(text: String) {
        texts.observe(text)
        if text.utf8.count <= 512 { sample.insert(ValueHash.of(text)) }
        if examples.count < 4, text.utf8.count <= 40, !examples.contains(text) {
            examples.append(text)
        }
        guard text.utf8.count <= 512, text.utf8.contains(UInt8(ascii: "/")) else { return }
        let path = text.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        guard path.count > 1, let last = path.last else { return }
        components.insert(ValueHash.of(String(last)))
        let collection = String(path[path.count - 2])
        if collections.count < 4, !collections.contains(collection) {
            collections.append(collection)
        }
        guard text.hasPrefix("http"), path.count > 2 else { return }
        let pattern = "\(path[1])/\(path[2])/\(path.count)"
        if patterns.count < 4, !patterns.contains(pattern) { patterns.append(pattern) }
    }

    mutating func merge(_ other: ValueStatistics) {
        count += other.count
        nullCount += other.nullCount
        booleanCount += other.booleanCount
        numbers.merge(other.numbers)
        texts.merge(other.texts)
        objectCount += other.objectCount
        arrayCount += other.arrayCount
        sample.merge(other.sample)
        components.merge(other.components)
        for collection in other.collections
        where collections.count < 4 && !collections.contains(collection) {
            collections.append(collection)
        }
        for pattern in other.patterns where patterns.count < 4 && !patterns.contains(pattern) {
            patterns.append(pattern)
        }
        for example in other.examples where examples.count < 4 && !examples.contains(example) {
            examples.append(example)
        }
        if let object = other.objects.first {
            if objects.isEmpty { objects = [object] } else { objects[0].merge(object) }
        }
        if let element = other.elements.first {
            if elements.isEmpty { elements = [element] } else { elements[0].merge(element) }
        }
    }
}
