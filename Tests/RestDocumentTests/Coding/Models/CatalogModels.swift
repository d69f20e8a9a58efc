// SPDX-License-Identifier: Apache-2.0

/// A catalog of events and their seats, with keys in camel case.
enum Catalog {
    struct Root: Codable, Equatable {
        let areaNames: [String: String]
        let audienceSubCategoryNames: [String: String]
        let blockNames: [String: String]
        let events: [String: Event]
        let performances: [Performance]
        let seatCategoryNames: [String: String]
        let subTopicNames: [String: String]
        let topicNames: [String: String]
        let topicSubTopics: [String: [Int]]
        let venueNames: [String: String]
    }

    struct Event: Codable, Equatable {
        let id: Int
        let name: String
        let description: String?
        let logo: String?
        let subTopicIds: [Int]
        let subtitle: String?
        let topicIds: [Int]
    }

    struct Performance: Codable, Equatable {
        let id: Int
        let eventId: Int
        let logo: String?
        let name: String?
        let prices: [Price]
        let seatCategories: [SeatCategory]
        let start: Int64
        let venueCode: String
    }

    struct Price: Codable, Equatable {
        let amount: Int
        let audienceSubCategoryId: Int
        let seatCategoryId: Int
    }

    struct SeatCategory: Codable, Equatable {
        let areas: [Area]
        let seatCategoryId: Int
    }

    struct Area: Codable, Equatable {
        let areaId: Int
        let blockIds: [Int]
    }
}
