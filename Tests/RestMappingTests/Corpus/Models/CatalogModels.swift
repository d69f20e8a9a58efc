// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping

/// A catalog of events and their seats.
enum Catalog {
    @Mapped struct Root: Decodable, Equatable {
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

    @Mapped struct Event: Decodable, Equatable {
        let id: Int
        let name: String
        let description: String?
        let logo: String?
        let subTopicIds: [Int]
        let subtitle: String?
        let topicIds: [Int]
    }

    @Mapped struct Performance: Decodable, Equatable {
        let id: Int
        let eventId: Int
        let logo: String?
        let name: String?
        let prices: [Price]
        let seatCategories: [SeatCategory]
        let start: Int64
        let venueCode: String
    }

    @Mapped struct Price: Decodable, Equatable {
        let amount: Int
        let audienceSubCategoryId: Int
        let seatCategoryId: Int
    }

    @Mapped struct SeatCategory: Decodable, Equatable {
        let areas: [Area]
        let seatCategoryId: Int
    }

    @Mapped struct Area: Decodable, Equatable {
        let areaId: Int
        let blockIds: [Int]
    }
}
#endif
