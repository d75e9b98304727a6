int area(int width, int height);
